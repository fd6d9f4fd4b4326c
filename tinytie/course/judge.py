"""Judges one exercise file: each of its functions against the law that it must obey."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tinytie.course.answers import Answer, Exercise, Wrong, what_stopped
from tinytie.course.shelf import laws_of


class Result(NamedTuple):
    lesson: str  # "02"
    exercise: int  # from 1
    function: str
    passed: bool
    message: str  # why not, in words


def exercises_of(lesson: str) -> list[Exercise]:
    """The exercises of a lesson, in order. Raises ValueError where it has none."""
    return laws_of(lesson).EXERCISES


def judge(path: Path, lesson: str, first: int = 0) -> Iterator[Result]:
    """One result after the other, from exercise number `first` on (counted from 0)."""
    names, problem = load(path)
    for i, exercise in enumerate(exercises_of(lesson)[first:], start=first):
        message = problem or verdict(names.get(exercise.function), exercise, path)
        yield Result(lesson, i + 1, exercise.function, not message, message)


def load(path):
    """The names of a student's file, and a sentence where it cannot be loaded."""
    names = {"__name__": path.stem, "__file__": str(path)}
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), names)
    except KeyboardInterrupt:
        raise
    except SyntaxError as error:
        return {}, f"line {error.lineno} of {path.name} is no Python: {error.msg}"
    except BaseException as error:
        return {}, what_stopped(error, path)
    return names, ""


def verdict(function, exercise, path):
    """An empty sentence where the law holds."""
    if not callable(function):
        return f"{path.name} has no function {exercise.function}"
    try:
        exercise.law(Answer(function, path))
    except Wrong as wrong:
        return str(wrong)
    except Exception as error:  # the law could do nothing with what came back
        return f"what it returns cannot be judged: {type(error).__name__}, {error}"
    return ""


def main(path: str, lesson: str, first: str, out: str) -> None:
    """Write each result to the file `out` as soon as it is there, one line of JSON each."""
    sys.path.insert(0, str(Path(path).resolve().parent))  # for helpers beside the file
    with open(out, "w", encoding="utf-8") as file:
        for result in judge(Path(path), lesson, int(first)):
            print(json.dumps(result), file=file, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
