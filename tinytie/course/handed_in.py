"""What a class handed in, file by file: from folders and zips, unpacking nothing to the disk."""

import contextlib
import datetime
import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

FILE_LIMIT, ZIP_LIMIT = 20_000_000, 100_000_000  # bytes of a notebook; of a student
MEMBER_SIZE, ZIP_DEPTH, NAME_LIMIT = 50_000, 3, 500  # bytes of a zip for each file of it
KINDS = (".py", ".ipynb", ".zip")
EMPTY, OTHER = "nothing", "it is no .py, .ipynb or .zip"
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
    if place.is_file():  # the zip of a whole class
        is_zip = place.suffix.lower() == ".zip"
        yield from opened(place, () if is_zip else (place.name,), 20 * ZIP_LIMIT)
        return
    for folder, names, files in os.walk(place):
        names[:] = sorted(name for name in names if not skipped(name))
        parts = Path(folder).relative_to(place).parts
        if len(parts) == 1:
            yield unread(folder, (*parts, ""), EMPTY)
        for name in sorted(name for name in files if not skipped(name)):
            yield from opened(Path(folder, name), (*parts, name), ZIP_LIMIT)


def unread(where, parts, problem):
    return Found(where, parts, b"", datetime.datetime.min, problem)


def skipped(name):
    return name in OURS or name.startswith(".")


def opened(path, parts, most):
    """A file of the disk, or what is in it."""
    try:
        if path.is_symlink() or not path.is_file():
            yield unread(str(path), parts, "it is a link, or no file")
            return
        if not path.name.lower().endswith(KINDS):
            yield unread(str(path), parts, OTHER)
            return
        when = datetime.datetime.fromtimestamp(path.stat().st_mtime)
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError, OverflowError) as error:
        yield unread(str(path), parts, f"it cannot be read: {error}")
        return
    yield from contents("/".join(parts) or path.name, parts, data, when, most)


def contents(where, parts, data, when, most, depth=0):
    """One file, or the files of a zip, zips in it included."""
    is_zip = where.lower().endswith(".zip")
    if len(data) > (most if is_zip else FILE_LIMIT):
        yield unread(where, parts, "it is too large")
    elif not is_zip:
        yield Found(where, parts, data, when)
    elif depth > ZIP_DEPTH:
        yield unread(where, parts, "there are zips in zips in zips")
    else:
        folder = (*parts[:-1], parts[-1][: -len(".zip")]) if parts else ()
        yield from members(where, folder, data, most, depth)


def members(where, folder, data, most, depth):
    """The files of a zip, together at most so many bytes; one that is damaged costs no other."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception:  # zipfile tells of damage in a dozen ways
        yield unread(where, (*folder, ""), "it is no zip that can be read")
        return
    infos = [info for info in archive.infolist() if not info.filename.endswith("/")]
    count = most // MEMBER_SIZE
    for info in infos[:count]:
        name = name_of(info)
        parts = PurePosixPath(name.replace("\\", "/")).parts
        inner = tuple(part for part in parts if part not in ("..", "/"))
        if any(map(skipped, inner)):
            continue
        if not inner or len(name) > NAME_LIMIT:
            yield unread(f"{where}/{name[:80]}", (*folder, ""), "it has no name that can be used")
        elif not inner[-1].lower().endswith(KINDS):
            yield unread(f"{where}/{name}", (*folder, *inner), OTHER)
        elif (part := read_member(archive, info, min(most, ZIP_LIMIT))) is None:
            yield unread(f"{where}/{name}", (*folder, *inner), "it is damaged, or locked")
        else:
            most -= len(part)
            left = max(0, min(most, ZIP_LIMIT))
            found = (f"{where}/{name}", (*folder, *inner), part, clock_of(info), left)
            yield from contents(*found, depth + 1)
    if len(infos) > count:
        said = f"the last {len(infos) - count} of its {len(infos)} files are not read"
        yield unread(where, (*folder, ""), said)


def name_of(info):
    """As it was meant: what says no encoding is read as an old one, and is mostly UTF-8."""
    with contextlib.suppress(UnicodeError):
        if not info.flag_bits & 0x800:
            return info.filename.encode("cp437").decode("utf-8")
    return info.filename


def read_member(archive, info, most):
    """Its bytes, and one more where there are too many; None where they cannot be read."""
    try:
        with archive.open(info) as member:
            return member.read(most + 1)
    except Exception:  # see above
        return None


def clock_of(info):
    try:
        return datetime.datetime(*info.date_time)
    except ValueError:  # there are zips with a month 0
        return datetime.datetime.min
