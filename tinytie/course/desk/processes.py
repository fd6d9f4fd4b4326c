"""The processes below one, as Linux lists them; and what they leave on the disk."""

import contextlib
import os
import shutil
import signal
from pathlib import Path


def descendants(root: int) -> list[int]:
    """The processes below this one, where the system lists them in /proc."""
    children = children_of_all()
    found = children.get(root, [])
    for pid in found:  # grows while it is walked
        found.extend(children.get(pid, []))
    return found


def children_of_all() -> dict[int, list[int]]:
    """parent -> its children, without those that have ended."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        with contextlib.suppress(OSError, ValueError):
            after = Path(f"/proc/{int(name)}/stat").read_bytes().rpartition(b")")[2].split()
            if after[0] != b"Z":
                children.setdefault(int(after[1]), []).append(int(name))
    return children


def children_of(pid: int) -> list[int]:
    return children_of_all().get(pid, [])


def memory_of(pid):
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def kill_all(root: int) -> None:
    """End every process below this one, and what they start meanwhile."""
    while family := descendants(root):
        for pid in family:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def remove(folder: Path) -> None:
    """Delete the folder, with what the student locked in it."""
    for path, names, _ in os.walk(folder):
        for name in names:
            if not os.path.islink(inner := os.path.join(path, name)):
                with contextlib.suppress(OSError):
                    os.chmod(inner, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
