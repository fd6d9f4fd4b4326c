"""Temporary files of processes that were killed, told by a lock from those still being written.

Whoever writes a temporary file holds a lock on it until the file has its final name. The system
releases the lock when a process ends, however it ends: a temporary file that can be locked belongs
to nobody. Where there are no such locks, as on Windows, nothing is removed.
"""

import contextlib
import os
import re
import secrets
from collections.abc import Iterator
from typing import BinaryIO

if os.name == "posix":
    import fcntl


def temporary_name(path: str) -> str:
    """`.<name>.<random>.tmp` beside `path`; no other process draws the same."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{secrets.token_hex(8)}.tmp")


def link_name(temporary: str) -> str:
    """A second name to go with a temporary file, gone whenever that one is."""
    return f"{temporary}.link"


@contextlib.contextmanager
def locked(file: BinaryIO) -> Iterator[None]:
    """Inside, no `sweep` removes the file, even after it is closed here."""
    if os.name != "posix":
        yield
        return
    descriptor = os.dup(file.fileno())
    try:
        with contextlib.suppress(OSError):  # without locks here, `sweep` gets none either
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # waits for a sweep, which takes a moment
        yield
    finally:
        os.close(descriptor)


def sweep(path: str) -> None:
    """Remove the temporary files of `path` that no living process holds."""
    folder, name = os.path.split(path)
    ours = re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{16}}\.tmp")
    with contextlib.suppress(OSError):
        for found in filter(ours.fullmatch, os.listdir(folder)):
            remove_if_free(os.path.join(folder, found))


def remove_if_free(temporary):
    """Both names of a temporary file, where its lock can be had."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError), open(temporary, "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(link_name(temporary))
        os.unlink(temporary)
