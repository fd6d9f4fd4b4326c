"""What a class handed in, file by file: from folders and zips, unpacking nothing to the disk."""

import datetime
import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tinytie.course.grading import SOURCE_LIMIT

ZIP_LIMIT, MEMBERS_LIMIT, ZIP_DEPTH = 100_000_000, 2_000, 3
KINDS = (".py", ".ipynb", ".zip")
EMPTY = "nothing"
OURS = {"solutions", "laws", "tests", "__pycache__", "__MACOSX", "node_modules", "site-packages"}


class Found(NamedTuple):
    """One file that may hold answers."""

    where: str  # its path in what was handed in, with the zips that it lay in
    parts: tuple[str, ...]  # of that path
    data: bytes
    when: datetime.datetime
    problem: str = ""


def walk(place: Path) -> Iterator[Found]:
    """Every file below a folder, in a zip, or the file itself; a student's empty folder too."""
    if place.is_file():
        yield from opened(place, (place.name,) if place.suffix.lower() != ".zip" else ())
        return
    for folder, names, files in os.walk(place):
        names[:] = sorted(name for name in names if not skipped(name))
        parts = Path(folder).relative_to(place).parts
        if len(parts) == 1:
            yield Found(folder, (*parts, ""), b"", datetime.datetime.min, EMPTY)
        for name in sorted(name for name in files if not skipped(name)):
            path = Path(folder, name)
            if path.is_symlink() or not path.is_file():
                yield unread(str(path), (*parts, name), "it is a link, or no file")
            else:
                yield from opened(path, (*parts, name))


def unread(where, parts, problem):
    return Found(where, parts, b"", datetime.datetime.min, problem)


def skipped(name):
    return name in OURS or name.startswith(".")


def opened(path, parts):
    """A file of the disk, or what is in it."""
    if not path.name.lower().endswith(KINDS):
        yield unread(str(path), parts, "it is no .py, .ipynb or .zip")
        return
    when = datetime.datetime.fromtimestamp(path.stat().st_mtime)
    most = ZIP_LIMIT if path.suffix.lower() == ".zip" else 20 * SOURCE_LIMIT
    with path.open("rb") as file:
        data = file.read(most + 1)
    yield from contents("/".join(parts) or path.name, parts, data, when, most)


def contents(where, parts, data, when, most, depth=0):
    """One file, or the files of a zip, zips in it included."""
    if len(data) > most:
        yield unread(where, parts, "it is too large")
    elif not where.lower().endswith(".zip"):
        yield Found(where, parts, data, when)
    elif depth > ZIP_DEPTH:
        yield unread(where, parts, "there are zips in zips in zips")
    else:
        folder = (*parts[:-1], parts[-1][: -len(".zip")]) if parts else ()
        yield from members(where, folder, data, depth)


def members(where, folder, data, depth):
    left = ZIP_LIMIT
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist()[:MEMBERS_LIMIT]:
                path = PurePosixPath(info.filename.replace("\\", "/"))
                inner = tuple(part for part in path.parts if part not in ("..", "/"))
                if info.is_dir() or any(map(skipped, inner)):
                    continue
                if not inner[-1].lower().endswith(KINDS):
                    yield unread(info.filename, (*folder, *inner), "it is no .py, .ipynb or .zip")
                    continue
                most = min(left, ZIP_LIMIT if inner[-1].endswith(".zip") else 20 * SOURCE_LIMIT)
                with archive.open(info) as member:
                    part = member.read(most + 1)
                left -= len(part)
                inside = f"{where}/{info.filename}"
                clock = datetime.datetime(*info.date_time)
                yield from contents(inside, (*folder, *inner), part, clock, most, depth + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, ValueError, EOFError):
        yield unread(where, (*folder, ""), "it is no zip that can be read")
