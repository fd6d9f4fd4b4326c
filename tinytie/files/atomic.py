"""Writing a file so that its name always holds the old content or the new, whole."""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from typing import BinaryIO

from tinytie.files.leftovers import link_name, locked, sweep, temporary_name

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
    a link, and the file that it names is replaced. What a process that was killed outright left
    behind, `.<name>.<random>.tmp`, nothing reads, and the next save of `path` removes.

    Raises OSError, naming `path`, where the folder cannot be written or `path` is no plain file.
    """
    target = os.path.realpath(os.fsdecode(path))
    with naming(path):
        refuse_special(target)
        sweep(target)
        with removed(temporary_name(target)) as temporary, contextlib.ExitStack() as lock:
            with new_file(temporary, lock) as file:
                yield file
                to_disk(file)
            if keep_previous and os.path.exists(target):
                keep(target, link_name(temporary))
            os.replace(temporary, target)
        folder_to_disk(os.path.dirname(target))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raises OSError, or ValueError on an impossible name, where `path` cannot be written.

    Nothing is left behind, and a file that is there is not touched.
    """
    target = os.path.realpath(os.fsdecode(path))
    with naming(path):
        refuse_special(target)
        with removed(temporary_name(target)) as temporary, open(temporary, "xb"):
            pass


@contextlib.contextmanager
def naming(path):
    """Every error of the system from inside names `path`, not the temporary file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fsdecode(path)) from error


def refuse_special(path):
    """A folder or a device is never replaced by a file."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "This is a folder, a file is needed", path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "This is a device or a pipe, a file is needed", path)


@contextlib.contextmanager
def removed(path):
    """In the end no file of this name is left."""
    try:
        yield path
    finally:
        # Usually the file has its new name by now. But giving a file a name that it has already,
        # as `.previous` after a save that was cut off, does nothing.
        with contextlib.suppress(OSError):
            os.unlink(path)


def new_file(path, lock):
    """A file that is ours alone, with ordinary permissions, and locked until `lock` ends."""
    file = open(path, "xb")  # noqa: SIM115 (the caller closes it)
    try:
        lock.enter_context(locked(file))
        if os.path.exists(path):
            return file
    except BaseException:
        file.close()
        raise
    file.close()  # another process swept it away before it was locked
    return new_file(path, lock)


def keep(path, link):
    """`<path>.previous` becomes what `path` is now; neither name is ever empty."""
    with removed(link):
        second_name(path, link)
        os.replace(link, f"{path}.previous")


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
