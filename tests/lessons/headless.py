"""Lessons run as a student's `python lessons/04_….py` would, each once for all tests that look."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import tinytie


def chosen_lessons(items):
    """Those that the collected tests want to have run."""
    wanting = [i for i in items if {"lesson", "run"} <= set(getattr(i, "fixturenames", ()))]
    lessons = [item.callspec.params["lesson"] for item in wanting]
    return {lesson.number: lesson for lesson in lessons}


def run_headless(lesson, home, elsewhere):
    """What a lesson prints when a copy of it runs from a folder that is not its own."""
    copy = shutil.copy(lesson.path, home)
    shutil.copytree(lesson.path.parent / "figures", home / "figures")
    root = str(Path(tinytie.__file__).resolve().parents[1])
    told = {"PYTHONPATH": root, "PYTHONUTF8": "1", "PYTHONWARNINGS": "error"}
    process = subprocess.run(
        [sys.executable, copy], cwd=elsewhere, capture_output=True, text=True, encoding="utf-8",
        env=os.environ | told | {"OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert not list(elsewhere.iterdir())
    return process.stdout.splitlines(), home
