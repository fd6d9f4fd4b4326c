"""`pytest lessons/exercises`: the same check as `tinytie exercise`, for the answers in this folder.

Copy this file along with the stubs, and a student's folder grades itself.
"""

from pathlib import Path

import pytest

from tinytie.course.grading import files_of, graded, tasks_of


@pytest.fixture(scope="module")
def results():
    """Each lesson is graded once, when its first exercise is asked about."""
    found = {}

    def of(task):
        if task not in found:
            files = files_of(Path(__file__).parent, [task.lesson])
            ((some, _, _),) = graded(files, tasks_of([task.lesson]))
            found.update({(result.lesson, result.exercise): result for result in some})
        return found[task]

    return of


@pytest.mark.parametrize("task", tasks_of([]), ids=lambda task: f"{task.lesson}.{task.exercise}")
def test_exercise(results, task):
    result = results(task)
    if not result.passed:
        pytest.fail(f"{result.function}: {result.message}", pytrace=False)
