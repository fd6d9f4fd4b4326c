"""Grading: a student's file is judged in a process of its own.

An exercise that never comes back, or that ends Python, costs that exercise and no more.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tinytie.course.judge import Result, exercises_of


def grade(folder: Path, lesson: str, seconds: float = 20.0) -> tuple[list[Result], str]:
    """One lesson's file in a student's folder: the results, and what the student's code printed.

    seconds: how long one run may take before the exercise at work is said not to come back.
    """
    exercises = exercises_of(lesson)
    files = sorted(folder.glob(f"{lesson}_*.py"))
    if len(files) != 1:
        found = "no file" if not files else f"{len(files)} files"
        message = f"{folder} holds {found} {lesson}_*.py, and it should hold one"
        return [failed(lesson, i, message) for i in range(len(exercises))], ""
    results: list[Result] = []
    printed = ""
    while len(results) < len(exercises):
        done, problem, output = one_process(files[0], lesson, len(results), seconds)
        results += done
        printed += output
        if len(results) < len(exercises):
            results.append(failed(lesson, len(results), problem))
    return results, printed


def failed(lesson, i, message):
    """The result of an exercise that has no answer to judge."""
    return Result(lesson, i + 1, exercises_of(lesson)[i].function, False, message)


def one_process(path, lesson, first, seconds):
    """Judge from exercise `first` on: the results, why there are no more, what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "results")
        out.touch()
        command = [sys.executable, "-m", "tinytie.course.judge", path, lesson, first, out]
        try:
            process = subprocess.run(
                list(map(str, command)), stdin=subprocess.DEVNULL, timeout=seconds,
                capture_output=True, encoding="utf-8", errors="replace",
                env=os.environ | {"PYTHONUTF8": "1"},
            )  # fmt: skip
            problem, output = "it ends the Python process", process.stdout
        except subprocess.TimeoutExpired:
            problem = f"it did not come back within {seconds:g} seconds: a loop without an end?"
            output = ""
        lines = out.read_text(encoding="utf-8").splitlines()
    return [Result(*json.loads(line)) for line in lines], problem, output
