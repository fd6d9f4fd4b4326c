"""Where the lessons and their laws are, and what the header of each lesson says."""

import atexit
import functools
import importlib.resources
import importlib.util
import re
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import tinytie
from tinytie.course.cells import Cell, read_cells

CARRIED = "_lessons"  # the folder `lessons` inside an installed package
HEADER = ("question", "builds on", "reading", "exercise", "run")
LAST = re.compile(r"^\*\*The last line of the run\*\* should be\n\n    (.+)", re.MULTILINE)
FIELD = re.compile(r"^- \*\*(?P<name>[^*]+):\*\* (?P<value>.+)$", re.MULTILINE)


class Lesson(NamedTuple):
    number: str  # "04"
    title: str
    path: Path
    fields: dict[str, str]  # what HEADER names
    cells: list[Cell]
    last_line: str = ""  # what the run should end with; said at the end, where it tells nothing


def lessons_folder() -> Path:
    """The lessons: those beside the package, as in a checkout, or else those that it carries.

    Nothing is ever written there. A package that is run from an archive is unpacked for them.
    """
    package = Path(tinytie.__file__).resolve().parent
    for folder in (package.parent / "lessons", package / CARRIED):
        if list(folder.glob("[0-9][0-9]_*.py")):
            return folder
    return unpacked()


@functools.cache
def unpacked():
    """The lessons of an archive in a folder of their own, which goes when the program ends."""
    folder = tempfile.mkdtemp(prefix="tinytie-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy_tree(importlib.resources.files(tinytie) / CARRIED, Path(folder, CARRIED))
    return Path(folder, CARRIED)


def copy_tree(source, target):
    """What an archive holds, as files."""
    if not source.is_dir():
        raise ValueError("this copy of tinytie came without its lessons; install it anew")
    target.mkdir()
    for part in source.iterdir():
        if part.is_dir():
            copy_tree(part, target / part.name)
        else:
            (target / part.name).write_bytes(part.read_bytes())


def graded_lessons() -> list[str]:
    """The numbers of the lessons that have exercises: 01, 02, …"""
    laws = (lessons_folder() / "laws").glob("lesson_*.py")
    return sorted(path.stem.removeprefix("lesson_") for path in laws)


def laws_of(lesson: str) -> ModuleType:
    """The file `laws/lesson_NN.py` of the lessons as a module, loaded once.

    Raises ValueError where there is none.
    """
    if lesson not in graded_lessons():
        known = " ".join(graded_lessons())
        raise ValueError(f"there is no exercise {lesson!r}; there are {known}")
    name = f"lessons.laws.lesson_{lesson}"
    if name not in sys.modules:
        path = lessons_folder() / "laws" / f"lesson_{lesson}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def hint(task: str, number: int) -> str:
    """Hint 1, a plainer hint 2, or 3, the place in the lesson, for an exercise such as "4.1".

    Raises ValueError where there is none.
    """
    for line in (lessons_folder() / "hints.txt").read_text(encoding="utf-8").splitlines():
        name, *hints = (part.strip() for part in line.split(" | "))
        if name == task:
            return hints[number - 1]
    raise ValueError(f"there is no hint for {task!r}; ask for one exercise, such as 4.1")


def all_lessons() -> list[Lesson]:
    """Every lesson of the folder, in order."""
    return [read_lesson(path) for path in sorted(lessons_folder().glob("[0-9][0-9]_*.py"))]


def find_lesson(number: str) -> Lesson:
    """The lesson with this number, written 4 or 04. Raises ValueError where there is none."""
    lessons = all_lessons()
    for lesson in lessons:
        if lesson.number == number.zfill(2):
            return lesson
    numbers = " ".join(lesson.number for lesson in lessons)
    raise ValueError(f"there is no lesson {number!r}; there are {numbers}")


def read_lesson(path: Path) -> Lesson:
    """A lesson from its file: `# 04 Title` and the fields of HEADER stand in the first cell."""
    cells = read_cells(path.read_text(encoding="utf-8"))
    first = cells[0].text if cells else ""
    number, _, title = first.partition("\n")[0].removeprefix("# ").partition(" ")
    fields = {m["name"].lower(): m["value"] for m in FIELD.finditer(first)}
    missing = [name for name in HEADER if name not in fields]
    if missing:
        raise ValueError(f"{path.name}: the first cell must say {', '.join(missing)}")
    ends = LAST.findall(cells[-1].text)
    if len(ends) != 1:
        raise ValueError(f"{path.name}: the last cell must say which last line the run has")
    return Lesson(number, title, path, fields, cells, ends[0])
