"""Exercise 2 of lesson 10 grades a prediction by what runs said; here half the text runs again."""

import re
from pathlib import Path

import numpy as np

from tinytie.course.shelf import find_lesson, laws_of, lessons_folder

PRINTED = (Path(__file__).parent / "expected" / "10.txt").read_text(encoding="utf-8")
WHOLE = "text = language.sample(4000, np.random.default_rng(seed))"


def runs_on_half():
    """(3 models, 3 seeds, 30 epochs, 2): the lesson's own cells, down to its nine runs."""
    cells = [cell.text for cell in find_lesson("10").cells if cell.kind == "code"]
    upto = next(i for i, cell in enumerate(cells) if "found = " in cell)
    source = "\n".join(cells[: upto + 1])
    assert WHOLE in source
    names: dict = {}
    exec(source.replace(WHOLE, WHOLE.replace("4000", "2000")), names)
    return np.stack(list(names["found"].values()))


def printed_on_whole():
    """What the lesson prints of the whole text: best (3,), and new / read at the end (3,)."""
    best = re.findall(r" +[\d.]+ +([\d.]+) +\([\d.]+ … [\d.]+\)", PRINTED)
    ends = re.findall(r"text it read ([\d.]+), new text ([\d.]+)", PRINTED)
    assert len(best) == len(ends) == 3
    return np.array(best, float), np.array([float(new) / float(read) for read, new in ends])


def test_the_claims_are_those_that_the_runs_bear_out(capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(lessons_folder()))
    half = runs_on_half()
    best, whole_best = half[..., 1].min(axis=2).mean(axis=1), printed_on_whole()[0]
    apart, whole_apart = np.divide(*half[:, :, -1].mean(axis=1).T[::-1]), printed_on_whole()[1]
    claims = {
        1: (best > whole_best).all(),
        2: best[1] < best[0],
        3: best[1] - best[0] < whole_best[1] - whole_best[0],
        4: (apart > whole_apart).all(),
    }
    assert {number for number, holds in claims.items() if holds} == laws_of("10").TRUE_AT_HALF
