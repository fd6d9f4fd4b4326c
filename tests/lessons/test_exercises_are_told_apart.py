"""Stubs fail, solutions pass, and each plausible wrong answer is told its own mistake."""

from pathlib import Path

import pytest

from tinytie.course.grading import grade
from tinytie.course.judge import exercises_of, load, verdict
from tinytie.course.shelf import graded_lessons, lessons_folder

WRONG = Path(__file__).parent / "wrong"
everyone = pytest.mark.parametrize("lesson", graded_lessons())


def wrong_answers():
    """(lesson, function, exercise, words) of every wrong answer, from its docstring."""
    for path in sorted(WRONG.glob("*.py")):
        names, problem = load(path)
        assert not problem
        for name, function in names.items():
            exercise, _, words = (getattr(function, "__doc__", None) or "").partition(": ")
            if exercise in {e.function for e in exercises_of(path.stem)}:
                yield pytest.param(path, function, exercise, words, id=f"{path.stem}-{name}")


@everyone
def test_every_stub_fails_and_names_its_exercise(lesson):
    results, _ = grade(lessons_folder() / "exercises", lesson)
    for i, result in enumerate(results, start=1):
        assert not result.passed
        assert result.message.startswith(f"lesson {lesson}, exercise {i}: ")


@everyone
def test_every_solution_passes(lesson):
    results, _ = grade(lessons_folder() / "solutions", lesson)
    assert [result.message for result in results] == [""] * len(results)
    assert all(result.passed for result in results)


@pytest.mark.parametrize(("path", "function", "exercise", "words"), list(wrong_answers()))
def test_a_wrong_answer_is_told_its_own_mistake(path, function, exercise, words):
    (one,) = (e for e in exercises_of(path.stem) if e.function == exercise)
    message = verdict(function, one, path)
    assert words in message, message


@everyone
def test_every_lesson_has_at_least_two_wrong_answers(lesson):
    assert sum(param.values[0].stem == lesson for param in wrong_answers()) >= 2


def test_stubs_and_solutions_answer_the_same_questions():
    for lesson in graded_lessons():
        for folder in ("exercises", "solutions"):
            (path,) = (lessons_folder() / folder).glob(f"{lesson}_*.py")
            names, problem = load(path)
            assert not problem
            assert all(callable(names[e.function]) for e in exercises_of(lesson))
