"""`pytest lessons/exercises`: the same check as `tinytie exercise`, for the answers in this folder.

Copy this file along with the stubs, and a student's folder grades itself.
"""

from pathlib import Path

import pytest

from tinytie.course.grading import grade
from tinytie.course.judge import exercises_of
from tinytie.course.shelf import graded_lessons

EVERY = [(lesson, i) for lesson in graded_lessons() for i in range(len(exercises_of(lesson)))]


@pytest.fixture(scope="module")
def results():
    """Each lesson is graded once, when its first exercise is asked about."""
    graded = {}

    def of(lesson):
        if lesson not in graded:
            graded[lesson], _ = grade(Path(__file__).parent, lesson)
        return graded[lesson]

    return of


@pytest.mark.parametrize(("lesson", "i"), EVERY, ids=lambda value: str(value))
def test_exercise(results, lesson, i):
    result = results(lesson)[i]
    if not result.passed:
        pytest.fail(f"{result.function}: {result.message}", pytrace=False)
