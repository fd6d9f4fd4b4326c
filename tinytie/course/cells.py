"""A lesson is one Python file in cells: `# %%` starts code, `# %% [markdown]` starts prose."""

from itertools import pairwise
from typing import NamedTuple

CODE, PROSE = "code", "prose"
ANSWER = 'tags=["answer"]'  # of a cell whose output answers the lesson's prediction


class Cell(NamedTuple):
    kind: str  # CODE or PROSE
    text: str  # without the marker; prose without its "# "
    line: int  # where the text starts in the file, counted from 1
    answers: bool = False  # whether its output answers the prediction


def read_cells(source: str) -> list[Cell]:
    """The cells of a file in their order; what stands before the first marker is left out."""
    lines = source.splitlines()
    marks = [i for i, line in enumerate(lines) if line.startswith("# %%")]
    return [one_cell(lines, start, stop) for start, stop in pairwise([*marks, len(lines)])]


def one_cell(lines, start, stop):
    """The cell whose marker is lines[start]."""
    body = lines[start + 1 : stop]
    if "[markdown]" not in lines[start]:
        return Cell(CODE, "\n".join(body).strip("\n"), start + 2, ANSWER in lines[start])
    prose = [line.removeprefix("#").removeprefix(" ") for line in body]
    return Cell(PROSE, "\n".join(prose).strip("\n"), start + 2)
