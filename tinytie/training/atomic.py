"""Writing a file so that its name always holds the old content or the new, whole."""

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from typing import BinaryIO

NO_LINK = (
    errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV,  # none to be had here
    errno.ENOENT,  # another process replaced the file just while it was being linked
)  # fmt: skip


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str], *, keep_previous: bool = False) -> Iterator[BinaryIO]:
    """A binary file to write, which takes the place of `path` when the block ends well.

    The bytes go to a new file in the same folder, are forced to the disk, and only then get the
    name. On any exception, Ctrl-C too, that file is removed and `path` is what it was.
    keep_previous leaves the content that is replaced in `<path>.previous`. A symbolic link stays
    a link, and the file that it names is replaced. A process that is killed outright can leave
    its own `.<name>.<random>.tmp` behind, which nothing reads.

    Raises OSError, naming `path`, where the folder cannot be written or `path` is no plain file.
    """
    target = os.path.realpath(os.fsdecode(path))
    try:
        refuse_special(target)
        with unique_name(target) as temporary:
            with open(temporary, "xb") as file:  # "x": ours alone, with ordinary permissions
                yield file
                to_disk(file)
            if keep_previous and os.path.exists(target):
                keep(target)
            os.replace(temporary, target)
        folder_to_disk(os.path.dirname(target))
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fsdecode(path)) from error


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raises OSError, or ValueError on an impossible name, where `path` cannot be written.

    Nothing is left behind, and a file that is there is not touched.
    """
    target = os.path.realpath(os.fsdecode(path))
    refuse_special(target)
    with unique_name(target) as temporary, open(temporary, "xb"):
        pass


def refuse_special(path):
    """A folder or a device is never replaced by a file."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "This is a folder, a file is needed", path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "This is a device or a pipe, a file is needed", path)


@contextlib.contextmanager
def unique_name(path):
    """A name beside `path` that no other process uses; no file of that name is left."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
    finally:
        # Usually the file has its new name by now. But giving a file a name that it has already,
        # as `.previous` after a save that was cut off, does nothing.
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def keep(path):
    """`<path>.previous` becomes what `path` is now; neither name is ever empty."""
    with unique_name(path) as temporary:
        second_name(path, temporary)
        os.replace(temporary, f"{path}.previous")


def second_name(path, other):
    """A hard link; a copy where there can be none."""
    try:
        os.link(path, other)
    except OSError as error:
        if error.errno not in NO_LINK:
            raise
        with open(path, "rb") as source, open(other, "xb") as copy:
            shutil.copyfileobj(source, copy)
            to_disk(copy)


def to_disk(file):
    """Past Python's buffer and the system's, so that a loss of power finds the bytes written."""
    file.flush()
    os.fsync(file.fileno())


def folder_to_disk(folder):
    """The new name is written in the folder, which needs its own fsync; POSIX only."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that does not do this for folders
            raise
    finally:
        os.close(descriptor)
