"""Every lesson runs headless from another folder, prints what it should, and keeps its form."""

import ast
import math
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tinytie.course.cells import CODE, PROSE
from tinytie.course.shelf import HEADER, all_lessons

EXPECTED = Path(__file__).parent / "expected"
LESSONS = all_lessons()
NUMBER = re.compile(r"(?<![\w.])[-−]?\d+\.\d+(?:e[+-]?\d+)?(?![\w])")
LONGEST_CELL = 12  # lines that are not empty and no import
everyone = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)


@pytest.fixture
def run(lesson_runs):
    """lesson -> (printed lines, its folder)."""
    return lambda lesson: lesson_runs[lesson.number].result()


def same_line(line, expected):
    """Words and integers exactly; a decimal number within two units of its last digit."""
    if NUMBER.sub("#", line) != NUMBER.sub("#", expected):
        return False
    pairs = zip(NUMBER.findall(line), NUMBER.findall(expected), strict=True)
    return all(near(a, b) for a, b in pairs)


def near(a, b):
    digits, _, power = b.partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=2.001 * unit)


@everyone
def test_the_printed_lines_are_the_expected_ones(lesson, run):
    lines, _ = run(lesson)
    expected = (EXPECTED / f"{lesson.number}.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(expected)
    for line, wanted in zip(lines, expected, strict=True):
        assert same_line(line, wanted), f"printed {line!r}, expected {wanted!r}"


@everyone
def test_the_last_line_is_the_one_that_the_lesson_ends_with(lesson, run):
    assert same_line(run(lesson)[0][-1], lesson.last_line)


@everyone
def test_one_figure_is_saved_beside_the_lesson_and_named(lesson, run):
    lines, home = run(lesson)
    vector, figure = sorted((home / "pictures").iterdir(), reverse=True)
    assert f"pictures/{figure.name}" in lines
    assert {figure.stem, vector.stem} == {lesson.path.stem}
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert vector.suffix == ".svg"


@everyone
def test_the_header_says_what_a_reader_must_know(lesson):
    assert lesson.path.name.startswith(f"{lesson.number}_")
    assert all(lesson.fields[name] for name in HEADER)
    reading = r"(\d+) minutes(, and \d+ for what is headed \*Further\*)?"
    minutes, further = re.fullmatch(reading, lesson.fields["reading"]).groups()
    assert int(minutes) <= 25
    assert bool(further) == any("## Further: " in cell.text for cell in lesson.cells)
    assert re.fullmatch(r"\d+ minutes", lesson.fields["exercise"])
    assert "**Predict before you run.**" in lesson.cells[0].text


@everyone
def test_no_answer_is_told_before_the_cell_that_answers(lesson):
    answering = [i for i, cell in enumerate(lesson.cells) if cell.answers]
    assert answering
    head = lesson.cells[0].text
    assert head.rstrip().endswith("?") or "?" in head.split("**Predict before you run.**")[1]
    assert "last line" not in head.lower()


@everyone
def test_cells_are_short_and_each_is_followed_by_what_should_be_seen(lesson):
    cells = lesson.cells
    assert cells[0].kind == PROSE
    assert cells[-1].kind == PROSE
    for cell, after in pairwise(cells):
        if cell.kind == CODE:
            lines = [line for line in cell.text.splitlines() if line.strip()]
            own = [line for line in lines if not line.startswith(("import ", "from "))]
            assert len(own) <= LONGEST_CELL, cell.text
            assert after.kind == PROSE, cell.text
            assert after.text.startswith("You see "), after.text


@everyone
def test_no_cell_changes_what_an_earlier_one_made(lesson):
    made: set[str] = set()
    for cell in (cell for cell in lesson.cells if cell.kind == CODE):
        new, changed = names_of(cell.text)
        assert not new & made, f"{new & made} made twice"
        assert not (changed - new) & made, f"{changed & made} changed by a later cell"
        made |= new


def names_of(code):
    """The module-level names that a cell makes, and those whose insides it changes."""
    new, changed = set(), set()
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.For):
            continue  # a loop's own names are nobody's result
        if isinstance(statement, ast.FunctionDef):
            new.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AugAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for node in (node for target in targets for node in ast.walk(target)):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    new.add(node.id)
                elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                    changed.add(node.value.id)
    return new - {"_"}, changed


@everyone
def test_the_parts_stand_in_the_order_of_every_lesson(lesson):
    prose = "\n".join(cell.text for cell in lesson.cells if cell.kind == PROSE)
    parts = (
        "Predict before", "## The picture", "## What you can now say", "The usual misconception:",
        "The cure:", "## Exercise", f"lessons/exercises/{lesson.path.name}",
        f"tinytie exercise {int(lesson.number)}",
    )  # fmt: skip
    places = [" ".join(prose.split()).find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)


@everyone
def test_no_line_is_wider_than_a_terminal_of_a_hundred_columns(lesson):
    assert max(map(len, lesson.path.read_text(encoding="utf-8").splitlines())) <= 100


def test_every_file_that_a_lesson_or_the_guide_names_exists():
    root = LESSONS[0].path.parents[1]
    for path in [*(lesson.path for lesson in LESSONS), root / "lessons" / "README.md"]:
        named = re.findall(r"`((?:tinytie|lessons)/[\w/.]+)`", path.read_text(encoding="utf-8"))
        for name in named:
            assert (root / name).exists(), f"{path.name} names {name}"


def test_the_guides_table_of_times_is_that_of_the_headers():
    guide = (LESSONS[0].path.parent / "README.md").read_text(encoding="utf-8")
    for lesson in LESSONS:
        row = re.findall(rf"^\| {lesson.number} .*$", guide, re.MULTILINE)[0]
        assert lesson.title in row
        assert lesson.fields["question"] in row
        for name in ("reading", "exercise"):
            said = lesson.fields[name].partition(",")[0]
            assert f" {said.replace('utes', '')} " in row


def test_the_lessons_are_numbered_from_01_without_a_gap():
    assert [lesson.number for lesson in LESSONS] == [f"{i:02}" for i in range(1, len(LESSONS) + 1)]


@pytest.mark.parametrize(
    ("line", "expected", "same"),
    [
        ("loss 1.9461 nats", "loss 1.9460 nats", True),
        ("loss 1.9465 nats", "loss 1.9460 nats", False),
        ("7 rows", "8 rows", False),
        ("[ 0.25 -1.5 ]", "[ 0.25 -1.5 ]", True),
        ("[ 0.25 1.5 ]", "[ 0.25 -1.5 ]", False),
        ("2.0e-09", "2.1e-09", True),
        ("PASS", "FAIL", False),
    ],
)
def test_lines_are_compared_word_by_word_and_number_by_number(line, expected, same):
    assert same_line(line, expected) == same
