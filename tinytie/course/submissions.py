"""What a class handed in, in the shapes that learning platforms export: whose file is for what.

A student is a folder, a zip, or the beginning of a file's name. A file is for the lessons whose
functions it defines, or whose number its name begins with. Nothing is unpacked to the disk, and
what cannot be matched is listed.
"""

import ast
import contextlib
import datetime
import functools
import json
import os
import re
from pathlib import Path
from typing import NamedTuple

from tinytie.course.grading import SOURCE_LIMIT, File, exercises_of, read_file
from tinytie.course.handed_in import EMPTY, OTHER, Found, walk
from tinytie.course.shelf import graded_lessons

DATE = r"(?P<date>\d{4}-\d\d-\d\d(?:[T_ -]\d\d[-:.h]?\d\d(?:[-:.m]?\d\d)?)?)"
NAMES = [  # Moodle; Blackboard; Canvas; a name, maybe a date, then the file
    re.compile(r"(?P<who>.+?)_(?P<number>\d+)_assign(?:submission|feedback)_[a-z]+_?(?P<file>.*)"),
    re.compile(rf".+?_(?P<who>[^_]+)_attempt_{DATE}(?:[_.](?P<file>.+))?"),
    re.compile(r"(?P<who>[^_]+?)(?P<late>_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)"),
    re.compile(rf"(?P<who>.+?)[ _-]+(?:{DATE}[ _-]+)?(?P<file>\d\d_.+)"),
    re.compile(rf"(?P<who>\D.*?)[ _-]+{DATE}[ _-]+(?P<file>.+)"),
]
COPY = re.compile(r"[ _-]*\((\d+)\)$|-(\d+)$")  # `04_a (1).py`, Canvas' `04_a-2.py`


class Owner(NamedTuple):
    name: str
    number: str  # the platform's


class Submission(NamedTuple):
    student: str
    files: dict[str, File]  # by lesson
    when: dict[str, datetime.datetime]  # by lesson
    late: bool  # as the platform says


def submissions_in(place: Path) -> tuple[list[Submission], list[str]]:
    """All students in order, and a sentence for each file that was not used.

    Raises ValueError where there is nothing of that name.
    """
    if not place.exists():
        raise ValueError(f"there is no {place}; give a folder or a zip of what was handed in")
    found, unused = list(walk(place)), []
    if place.is_file():
        found = without_wrapper(found)
    owners: dict[Owner, list[tuple[Found, str]]] = {}
    for file in found:
        owner, rest = owner_of(file)
        if owner is None:
            unused.append(f"{file.where}: {file.problem or 'its name says no student'}")
        else:
            owners.setdefault(owner, []).append((file, rest))
    known = [owner.name for owner in owners]
    submissions = []
    for owner, files in owners.items():
        several = known.count(owner.name) > 1 and owner.number
        name = f"{owner.name} {owner.number}" if several else owner.name
        submissions.append(submission_of(name, files, unused))
    return sorted(submissions), unused


def without_wrapper(found):
    """Without the one folder around all, as a zip of a folder has it."""
    while len({file.parts[0] for file in found if file.parts}) == 1 and all(
        len(file.parts) > 2 for file in found
    ):
        found = [file._replace(parts=file.parts[1:]) for file in found]
    return found


def owner_of(file):
    """The student, or None, and the rest of the path."""
    name, rest = file.parts[0], "/".join(file.parts[1:])
    in_folder = len(file.parts) > 1
    stem, suffix = (name, "") if in_folder else os.path.splitext(name)
    for pattern in NAMES[:3] if in_folder else NAMES:
        if match := pattern.fullmatch(stem):
            groups = match.groupdict()
            rest = rest or (groups.get("file") or "answer") + suffix
            return Owner(match["who"].strip(), groups.get("number") or ""), rest
    return (Owner(name, ""), rest) if in_folder else (None, "")


def date_in(text):
    """The last date in a path, if it is one."""
    for said in reversed([match["date"] for match in re.finditer(DATE, text)]):
        digits = re.sub(r"\D", "", said)
        pattern = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}[len(digits)]
        with contextlib.suppress(ValueError):  # as of a 31st of February
            return datetime.datetime.strptime(digits, pattern)
    return None


def submission_of(who, found, unused):
    """The file of each lesson: the last one, where a student has several."""
    late = any("_LATE_" in file.parts[0] for file, _ in found)
    usable = [(file, rest) for file, rest in found if not file.problem]
    answers = [(f, rest) for f, rest in usable if "exercises" in f.parts[:-1]] or usable
    ordinary = {"", EMPTY, OTHER} if answers else {"", EMPTY}
    unused += [f"{f.where}: {f.problem}" for f, _ in found if f.problem not in ordinary]
    candidates: dict[str, list[tuple]] = {}
    for file, rest in answers:
        source = source_of(file, rest)
        lessons = lessons_of(source, Path(rest).name)
        for lesson in lessons:
            candidates.setdefault(lesson, []).append((version_of(file, rest), file, source))
        if not lessons:
            unused.append(f"{file.where}: it defines no function of an exercise")
    files, when = {}, {}
    for lesson, several in sorted(candidates.items()):
        *older, (_, file, files[lesson]) = sorted(several, key=lambda one: one[0])
        when[lesson] = date_in(file.where) or file.when
        unused += [f"{o.where}: {file.where} is taken for lesson {lesson}" for _, o, _ in older]
    return Submission(who, files, when, late)


def version_of(file, rest):
    """Sorts what a student handed in twice: by the date it says, its number, and its clock."""
    copy = COPY.search(Path(rest).stem)
    number = int(next(filter(None, copy.groups()))) if copy else 0
    return date_in(file.where) or datetime.datetime.min, number, file.when, file.where


def source_of(file, rest):
    """A file's Python, that of a notebook's cells included."""
    name = re.sub(r"[^\w.-]", "_", Path(rest).name) or "answer.py"
    if not name.lower().endswith(".ipynb"):
        return read_file(name, file.data)
    return notebook(Path(name).stem + ".py", file.data)


def notebook(name: str, data: bytes) -> File:
    """Imports, functions, classes and plain constants of a notebook's code cells.

    All else, as calls that train or draw, is left out; lines are counted through all code cells.
    """
    try:
        cells = json.loads(data)["cells"]
        texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return File(name, "", f"{name} is no notebook that can be read")
    if sum(map(len, texts)) > SOURCE_LIMIT:
        return File(name, "", f"{name} is larger than half a megabyte, without what it shows")
    return read_file(name, "\n".join(map(kept, texts)).encode())


def kept(cell):
    """The cell with blank lines for what is not defined but done; blank where it is no Python."""
    lines = ["" if line.lstrip().startswith(("%", "!", "?")) else line for line in cell.split("\n")]
    try:
        body = ast.parse("\n".join(lines)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        body = []
    stay: set[int] = set()
    for node in body:
        if defines(node):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            stay |= set(range(first, (node.end_lineno or first) + 1))
    return "\n".join(line if i in stay else "" for i, line in enumerate(lines, start=1))


def defines(node):
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
        return not any(name.split(".")[0] in ("IPython", "google", "matplotlib") for name in names)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return not any(isinstance(part, ast.Call) for part in ast.walk(node))
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def lessons_of(file: File, name: str) -> list[str]:
    """The lessons that a file is for."""
    named = re.match(r"(\d\d)(?!\d)", name)
    number = {named[1]} & set(names()) if named else set()
    if file.problem:
        return sorted(number)
    defined = set(re.findall(r"^(?:def +)?(\w+)(?= *[(=:])", file.source, re.MULTILINE))
    found = {lesson for lesson, functions in names().items() if functions & defined}
    return sorted(number if number and (number <= found or not found) else found)


@functools.cache
def names() -> dict[str, set[str]]:
    """The functions that each lesson asks for."""
    lessons = graded_lessons()
    return {number: {one.function for one in exercises_of(number)} for number in lessons}
