"""Grading: each exercise of a student's files against the law that it must obey.

The files run elsewhere (`seat`), the laws run here. A file that never comes back, or that ends its
Python, costs its own exercise and no more.
"""

import importlib.util
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tinytie.course.answers import Answer, Exercise, Wrong
from tinytie.course.seat import Ended, Limits, Seat
from tinytie.course.shelf import graded_lessons, laws_of
from tinytie.printable import printable

PATIENCE = 6  # how often a student may use up the time of an exercise
SOURCE_LIMIT = 500_000  # bytes of a file; in a frame up to six times as many


class Task(NamedTuple):
    lesson: str  # "04"
    exercise: int  # from 1

    def __str__(self) -> str:
        return f"{int(self.lesson)}.{self.exercise}"


class File(NamedTuple):
    name: str  # "04_two_paths.py"
    source: str
    problem: str = ""  # why there is no source


class Result(NamedTuple):
    lesson: str
    exercise: int
    function: str
    passed: bool
    message: str  # why not, in words
    status: str  # "passed", "failed", "missing" (there is no file), or "not graded"


def exercises_of(lesson: str) -> list[Exercise]:
    """The exercises of a lesson, in order. Raises ValueError where it has none."""
    return laws_of(lesson).EXERCISES


def tasks_of(words: Iterable[str]) -> list[Task]:
    """`4` names all exercises of lesson 4, `4.1` its first; no word names all of all lessons.

    Raises ValueError where there is no such lesson or exercise.
    """
    tasks = []
    for word in [*words] or graded_lessons():
        lesson, dot, number = word.partition(".")
        count = len(exercises_of(lesson.zfill(2)))
        if dot and number not in map(str, range(1, count + 1)):
            raise ValueError(f"there is no exercise {word!r}; lesson {lesson} has 1 to {count}")
        numbers = [int(number)] if dot else range(1, count + 1)
        tasks += [Task(lesson.zfill(2), n) for n in numbers]
    return list(dict.fromkeys(tasks))


def files_of(folder: Path, lessons: Iterable[str]) -> dict[str, File]:
    """The file `NN_….py` of each lesson in a folder; with a problem where there is not one."""
    files = {}
    for lesson in lessons:
        found = sorted(path for path in folder.glob(f"{lesson}_*.py") if path.is_file())
        if len(found) == 1:
            files[lesson] = read_file(found[0].name, found[0].read_bytes())
        elif found:
            problem = f"{folder} holds {len(found)} files {lesson}_*.py, and it should hold one"
            files[lesson] = File(f"{lesson}.py", "", problem)
    return files


def read_file(name: str, data: bytes) -> File:
    """A Python file as text, in the encoding that it declares."""
    if len(data) > SOURCE_LIMIT:
        return File(name, "", f"{name} is larger than half a megabyte")
    try:
        return File(name, importlib.util.decode_source(data))
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        return File(name, "", f"{name} is no text: {error}")


def graded(
    files: Mapping[str, File], tasks: Iterable[Task], limits: Limits = Limits(),  # noqa: B008
    package: bool = True, seed: int | None = None,
) -> Iterator[tuple[list[Result], str, list[str]]]:  # fmt: skip
    """Lesson after lesson: its results, what the file printed, and what is not contained.

    files: by lesson. package: whether an answer may import tinytie where it need not. seed: of the
    laws' random inputs; equal seeds give equal inputs.
    """
    seed = secrets.randbits(64) if seed is None else seed
    by_lesson: dict[str, list[Task]] = {}
    for task in tasks:
        by_lesson.setdefault(task.lesson, []).append(task)
    seats: dict[bool, Seat] = {}
    left = PATIENCE * limits.seconds
    try:
        for lesson, some in by_lesson.items():
            needed = package or any(exercise.package for exercise in exercises_of(lesson))
            seat = seats.setdefault(needed, Seat(limits, needed))
            results, printed, lost = one_lesson(seat, files.get(lesson), some, seed, left)
            left -= lost
            yield results, printable(printed), seat.missing
    finally:
        for seat in seats.values():
            seat.leave()


def one_lesson(seat, file, tasks, seed, left):
    """The results of one file, what it printed, and the seconds that it wasted."""
    problem, status = "", "failed"
    if file is None:
        problem, status = f"there is no file {tasks[0].lesson}_*.py", "missing"
    elif file.problem:
        problem = cleaned(file.problem)
    if problem:
        return [result_of(task, problem, status) for task in tasks], "", 0
    judged = Judged(seat, file, seed, left)
    results = [result_of(task, judged.message(task)) for task in tasks]
    return results, judged.printed + seat.close(), judged.lost


def result_of(task, message, status=""):
    function = exercises_of(task.lesson)[task.exercise - 1].function
    status = status or ("failed" if message else "passed")
    return Result(task.lesson, task.exercise, function, not message, message, status)


def cleaned(message: str) -> str:
    """A sentence in one line that a terminal may be shown."""
    text = printable(" ".join(message.split()))
    return text if len(text) <= 600 else text[:597] + "..."


class Judged:
    """A file on a seat, opened again after each exercise that ends its process."""

    def __init__(self, seat: Seat, file: File, seed: int, left: float) -> None:
        self.seat, self.file, self.seed, self.left = seat, file, seed, left
        self.is_open, self.problem, self.printed, self.lost = False, "", "", 0.0

    def message(self, task: Task) -> str:
        """What is wrong with the answer to one exercise; nothing where its law holds."""
        return cleaned(self.judge(task))

    def judge(self, task):
        if not self.is_open and not self.problem:
            self.open()
        if self.problem:
            return self.problem
        exercise = exercises_of(task.lesson)[task.exercise - 1]
        rng = np.random.default_rng([self.seed, int(task.lesson), task.exercise])
        started = time.monotonic()
        try:
            self.seat.start_clock(exercise.seconds)
            return verdict(self.seat, exercise, rng)
        except Ended as ended:
            self.lost += time.monotonic() - started
            self.is_open = False
            self.printed += self.seat.close()
            return str(ended)

    def open(self):
        if self.lost > self.left:
            self.problem = "not run: the exercises before it took all of the time there is"
            return
        started = time.monotonic()
        try:
            self.problem = self.seat.open(self.file.name, self.file.source)
            self.is_open = True
        except Ended as ended:
            self.lost += time.monotonic() - started
            self.problem = f"{ended} (while the file was loaded)"


def verdict(seat: Seat, exercise: Exercise, rng: np.random.Generator, function: str = "") -> str:
    """An empty sentence where the law holds. Raises Ended where the process did."""
    try:
        exercise.law(Answer(seat, function or exercise.function, rng))
    except Wrong as wrong:
        return str(wrong) or "its law does not hold"
    except Ended:
        raise
    except Exception as error:  # the law could do nothing with what came back
        return f"what it returns cannot be judged: {type(error).__name__}, {error}"
    return ""
