"""The teacher's guide and the README agree with the lessons."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

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


def test_every_minute_of_the_class_is_accounted_for():
    spans = [tuple(map(int, row[0].split("–"))) for row in table(GUIDE, "minutes | do")]
    assert spans[0][0] == 0
    assert spans[-1][1] == 90
    assert all(before[1] == after[0] for before, after in pairwise(spans))
