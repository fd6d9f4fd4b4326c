"""Stubs fail, solutions pass, and each plausible wrong answer is told its own mistake."""

import ast
from pathlib import Path

import numpy as np
import pytest

from tinytie.course.grading import exercises_of, files_of, graded, read_file, tasks_of, verdict
from tinytie.course.seat import Seat
from tinytie.course.shelf import graded_lessons, lessons_folder

WRONG = Path(__file__).parent / "wrong"


def wrong_answers():
    """(path, function, exercise, words) of every wrong answer, from its docstring."""
    for path in sorted(WRONG.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            said = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            exercise, _, words = (said or "").partition(": ")
            if exercise in {e.function for e in exercises_of(path.stem)}:
                yield pytest.param(path, node.name, exercise, words, id=f"{path.stem}-{node.name}")


@pytest.fixture(scope="module")
def seat():
    """One process for all wrong answers, with the file of the lesson that is asked about."""
    with Seat() as seat:
        seat.path = None
        yield seat


def results_of(folder):
    files = files_of(lessons_folder() / folder, graded_lessons())
    return [result for some, _, _ in graded(files, tasks_of([])) for result in some]


def test_every_stub_fails_and_names_its_exercise():
    for result in results_of("exercises"):
        assert not result.passed
        start = f"lesson {result.lesson}, exercise {result.exercise}: "
        assert result.message.startswith(start)


def test_every_solution_passes():
    for _ in range(2):  # every run draws inputs of its own
        assert [r for r in results_of("solutions") if not r.passed] == []


@pytest.mark.parametrize(("path", "function", "exercise", "words"), list(wrong_answers()))
def test_a_wrong_answer_is_told_its_own_mistake(seat, path, function, exercise, words):
    if seat.path != path:
        seat.close()
        assert not seat.open(path.name, read_file(path.name, path.read_bytes()).source)
        seat.path = path
    (one,) = (e for e in exercises_of(path.stem) if e.function == exercise)
    seat.start_clock()
    message = verdict(seat, one, np.random.default_rng(19), function)
    assert words in message, message


@pytest.mark.parametrize("lesson", graded_lessons())
def test_every_lesson_has_at_least_two_wrong_answers(lesson):
    assert sum(param.values[0].stem == lesson for param in wrong_answers()) >= 2
