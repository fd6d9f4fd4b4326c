"""The teacher's guide and the README agree with the lessons."""

import ast
import builtins
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tinytie.course.player import steps_of
from tinytie.course.shelf import all_lessons

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "lessons" / "README.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXPECTED = Path(__file__).parent / "expected"
LESSONS = all_lessons()
PATH = re.compile(r"`((?:tinytie|tests)/[\w/.]+)`")


def table(text, heading):
    """The rows below the head that starts so, as lists of cells."""
    lines = text.split(f"\n| {heading} |")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def then_read(lesson):
    """The files that a lesson names in its last lines."""
    return set(PATH.findall(lesson.cells[-1].text.split("**Then read** ")[1]))


def test_the_guide_lists_the_files_that_each_lesson_ends_with():
    listed = {}
    for numbers, files in table(GUIDE, "lesson | then read"):
        listed |= {number: set(PATH.findall(files)) for number in numbers.split(", ")}
    assert set(listed) == {lesson.number for lesson in LESSONS}
    for lesson in LESSONS:
        assert then_read(lesson), lesson.number
        assert then_read(lesson) <= listed[lesson.number], lesson.number
        assert all((ROOT / name).is_file() for name in then_read(lesson))
    assert set.union(*map(then_read, LESSONS)) == set.union(*listed.values())


def test_who_did_the_course_has_read_the_code_in_the_order_of_the_readme():
    path = re.findall(r"\((tinytie/[\w/.]+)\)", README.split("## Read the code")[1])
    assert set(path) <= set.union(*map(then_read, LESSONS))


@pytest.mark.parametrize("row", table(GUIDE, "statement | what is right"), ids=lambda row: row[0])
def test_a_lesson_prints_the_number_against_a_common_statement(row):
    _, _, lessons, said = row
    printed = "".join((EXPECTED / f"{n}.txt").read_text("utf-8") for n in lessons.split(", "))
    quoted = re.findall(r"`([^`]+)`", said)
    assert quoted or said == "the table of letters"
    assert set(quoted) <= set(printed.splitlines())


def steps_to_play():
    """(lesson, steps) of every `01: 1 2` of the guide; those of one lesson together, in order."""
    plans: dict = {}
    for number, steps in re.findall(r"`(\d\d): ([\d ]+)`", GUIDE):
        plans.setdefault(number, []).extend(map(int, steps.split()))
    return plans


def codes(number):
    (lesson,) = (one for one in LESSONS if one.number == number)
    parts = [step.code.text for step in steps_of(lesson) if step.code]
    return [parts[i - 1] for i in steps_to_play()[number]]


@pytest.mark.parametrize("number", ["01", "02", "03", "04"])
def test_the_first_class_runs_as_written_step_by_step(number, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "lessons"))
    from figures import common

    monkeypatch.setattr(common, "LESSONS", tmp_path)
    names: dict = {}
    for code in codes(number):
        exec(code, names)


@pytest.mark.parametrize("number", steps_to_play())
def test_what_a_class_plays_uses_nothing_that_it_leaves_out(number):
    """Without running them: every name that a step reads was made by a step before or by itself."""
    assert steps_to_play()[number] == sorted(set(steps_to_play()[number]))
    known = set(dir(builtins)) | {"__file__"}
    for code in codes(number):
        nodes = list(ast.walk(ast.parse(code)))
        known |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        known |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        known |= {n.name for n in nodes if isinstance(n, ast.ExceptHandler) and n.name}
        known |= {n.arg for n in nodes if isinstance(n, ast.arg)}
        known |= {
            (alias.asname or alias.name).partition(".")[0]
            for n in nodes if isinstance(n, ast.Import | ast.ImportFrom) for alias in n.names
        }  # fmt: skip
        read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        assert read <= known, read - known


def test_every_lesson_is_played_in_a_class_but_those_for_who_wants_more():
    assert set(steps_to_play()) == {lesson.number for lesson in LESSONS} - {"19", "20"}


def test_every_minute_of_the_class_is_accounted_for():
    spans = [tuple(map(int, row[0].split("–"))) for row in table(GUIDE, "minutes | do")]
    assert spans[0][0] == 0
    assert spans[-1][1] == 90
    assert all(before[1] == after[0] for before, after in pairwise(spans))
