"""Cells: where they begin and end, and that nothing of a lesson is lost."""

import pytest

from tinytie.course.cells import CODE, PROSE, Cell, read_cells
from tinytie.course.shelf import HEADER, find_lesson, read_lesson

TEXT = """# a comment before the first cell
# %% [markdown]
# # 01 A title
#
# prose

# %%
a = 1

print(a)


# %%
print(2)
"""


def test_prose_loses_its_marks_and_code_keeps_its_lines():
    assert read_cells(TEXT) == [
        Cell(PROSE, "# 01 A title\n\nprose", 3),
        Cell(CODE, "a = 1\n\nprint(a)", 8),
        Cell(CODE, "print(2)", 14),
    ]


def test_the_line_of_a_cell_is_its_line_in_the_file():
    lines = TEXT.splitlines()
    for cell in read_cells(TEXT):
        if cell.kind == CODE:
            assert lines[cell.line - 1] == cell.text.splitlines()[0]


def test_a_file_without_cells_has_none():
    assert read_cells("print(1)\n") == []


def test_a_header_that_leaves_something_out_is_named(tmp_path):
    path = tmp_path / "01_a.py"
    path.write_text("# %% [markdown]\n# # 01 A\n#\n# - **Question:** why?\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"01_a\.py: the first cell must say builds on, reading"):
        read_lesson(path)


def test_a_lesson_is_found_by_its_number_in_either_form():
    assert find_lesson("4") == find_lesson("04")
    assert set(HEADER) <= set(find_lesson("4").fields)
    with pytest.raises(ValueError, match="there is no lesson '99'; there are 01 02"):
        find_lesson("99")
