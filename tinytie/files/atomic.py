"""Writing a file so that its name always holds the old content or the new, whole."""

import contextlib
import errno
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from typing import Any, BinaryIO

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows, or a browser: no locks, so nothing is swept away
    fcntl = None

MINUTE = 60  # seconds


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str], *, keep_previous: bool = False) -> Iterator[BinaryIO]:
    """A binary file to write, which takes the place of `path` when the block ends well.

    The bytes go to a new file in the same folder, are forced to the disk, and only then get the
    name. On any exception, Ctrl-C too, that file is removed and `path` is what it was.
    keep_previous copies what is about to be replaced to `<path>.previous`. A symbolic link stays
    a link, and the file that it names is replaced. What a process that was killed outright left
    behind, `.<name>.<random>.tmp`, nothing reads, and the next save of `path` removes.

    Raises OSError, naming `path`, where the folder cannot be written, the disk is full, or `path`
    is no plain file.
    """
    with resolved(path) as target:
        sweep(target)
        with temporary(target) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # a loss of power must find the bytes behind the name
            if fcntl is None:
                file.close()  # Windows renames no open file; elsewhere closing gives up the lock
            if keep_previous and os.path.exists(target):
                with open(target, "rb") as old, atomic_file(f"{target}.previous") as copy:
                    shutil.copyfileobj(old, copy)
            os.replace(file.name, target)
        folder_to_disk(os.path.dirname(target))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raises OSError, or ValueError on an impossible name, where `path` cannot be written.

    Nothing is left behind, and a file that is there is not touched.
    """
    with resolved(path) as target, temporary(target):
        pass


@contextlib.contextmanager
def resolved(path):
    """The file that `path` stands for. Every error of the system from inside names `path`."""
    target = os.path.realpath(os.fsdecode(path))
    try:
        if os.path.isdir(target):
            raise OSError(errno.EISDIR, "This is a folder, a file is needed")
        if os.path.exists(target) and not os.path.isfile(target):
            raise OSError(errno.EINVAL, "This is a device or a pipe, a file is needed")
        yield target
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fsdecode(path)) from error


@contextlib.contextmanager
def temporary(target):
    """A new file beside `target`, with ordinary permissions, locked as long as it is open."""
    folder, name = os.path.split(target)
    path = os.path.join(folder, f".{name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(path, "xb") as file:
            if fcntl is not None:
                with contextlib.suppress(OSError):  # a disk without locks: `sweep` gets none
                    fcntl.flock(file, fcntl.LOCK_EX)
            yield file
    finally:
        with contextlib.suppress(OSError):  # usually it has its final name by now
            os.unlink(path)


def sweep(target):
    """Remove the temporary files of `target` that no living process holds."""
    if fcntl is None:
        return
    folder, name = os.path.split(target)
    ours = re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{16}}\.tmp")
    with contextlib.suppress(OSError):
        for found in filter(ours.fullmatch, os.listdir(folder)):
            remove_if_free(os.path.join(folder, found))


def remove_if_free(path):
    """Remove a file unless a living process has locked it; a lock ends with its process.

    A new file is locked before its first byte is written. An empty one may be about to be locked,
    and stays for a minute.
    """
    with contextlib.suppress(OSError), open(path, "rb+") as file:
        about = os.fstat(file.fileno())
        if about.st_size > 0 or about.st_mtime < time.time() - MINUTE:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)


def folder_to_disk(folder):
    """The new name stands in the folder, which on most systems has an fsync of its own."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno in (errno.EIO, errno.ENOSPC):  # any other: there is no such thing here
            raise
