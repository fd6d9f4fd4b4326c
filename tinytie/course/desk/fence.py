"""What a student's process may not do, as far as the system enforces it, with the standard library.

Linux, where it lets us: a root of its own that holds Python, the package and one small folder and
can be written nowhere else; no network; no process of others in sight. Everywhere on Unix: limits.
"""

import ctypes
import os
import signal
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

NEWNS, NEWUTS, NEWIPC = 0x20000, 0x4000000, 0x8000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
NOSUID, NODEV, BIND, REC, PRIVATE = 2, 4, 4096, 16384, 1 << 18
MOUNT_SETATTR, RECURSIVE, DETACH = 442, 0x8000, 2
LANDLOCK = 444  # and the two calls after it
PDEATHSIG, DUMPABLE, CAPBSET_DROP, SUBREAPER, NO_NEW_PRIVS = 1, 4, 24, 36, 38
DESK = Path("/desk")  # the folder of the file, in a root of its own
SYSTEM = "/usr /lib /lib64 /lib32 /bin /sbin /nix /etc/alternatives /proc"
DEVICES = "/dev/null /dev/zero /dev/random /dev/urandom"


def libc():
    return ctypes.CDLL(None, use_errno=True)


def checked(result, what):
    if result:
        raise OSError(ctypes.get_errno(), what)


def prctl(option, value):
    if sys.platform == "linux":
        libc().prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def mount(source, target, kind, flags, options=None):
    words = [os.fsencode(word) if word else None for word in (source, target, kind)]
    data = options.encode() if options else None
    checked(libc().mount(*words, ctypes.c_ulong(flags), data), f"mount {target}")


def unshare(flags):
    checked(libc().unshare(flags), "unshare")


def own_root(place: Path, seen: Iterable[str], hidden: Iterable[str]) -> None:
    """This process and its children see only Python, `seen` without `hidden`, and /desk.

    place: an empty folder, to build the new root in. Raises OSError where the system forbids it.
    """
    user, group = os.getuid(), os.getgid()
    unshare(NEWNS | NEWUTS | NEWIPC | NEWNET | (NEWUSER if user else 0))
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    mount(None, "/", None, REC | PRIVATE)
    mount("tmpfs", place, "tmpfs", NOSUID | NODEV, "size=1m,mode=755")
    for path in [*SYSTEM.split(), *DEVICES.split(), *sorted(seen, key=len)]:
        show(Path(path), place, path not in seen)
    for folder in ("desk", "old"):
        (place / folder).mkdir()
    for path in hidden:
        if (covered := place / path.lstrip("/")).is_dir():
            mount("tmpfs", covered, "tmpfs", NOSUID | NODEV, "size=4k,mode=755")
    turn_root(place)


def show(path, place, as_link):
    """The same path in the new root: the folder or file of the old one, or the same link."""
    target = place / str(path).lstrip("/")
    if not path.exists() or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if as_link and path.is_symlink():
        target.symlink_to(os.readlink(path))
    else:
        target.mkdir() if path.is_dir() else target.touch()
        mount(path, target, None, BIND | REC)


def turn_root(place):
    """The new root becomes /, all of it for reading only, and the old one goes."""
    checked(libc().pivot_root(os.fsencode(place), os.fsencode(place / "old")), "pivot_root")
    os.chdir("/")
    checked(libc().umount2(b"/old", DETACH), "umount")
    os.rmdir("/old")
    read_only = (ctypes.c_uint64 * 4)(1, 0, 0, 0)
    words = (-100, b"/", RECURSIVE, ctypes.byref(read_only), ctypes.c_size_t(32))
    checked(libc().syscall(ctypes.c_long(MOUNT_SETATTR), *words), "mount_setattr")


def own_processes():
    """From the next fork on: processes of its own, numbered from 1; the first one ends them all."""
    unshare(NEWPID | NEWNS)


def own_desk(megabytes):
    """In that first process: a new empty /desk, and the new process list."""
    mount("proc", "/proc", "proc", NOSUID | NODEV)
    mount("tmpfs", DESK, "tmpfs", NOSUID | NODEV, f"size={megabytes}m,nr_inodes=4k,mode=777")
    os.chdir(DESK)


def die_with_parent():
    """Killed when the parent is; nobody of the same user may look inside."""
    prctl(PDEATHSIG, signal.SIGKILL)
    prctl(DUMPABLE, 0)


def limit(seconds: float, megabytes: int, processes: int) -> list[str]:
    """Limits for this process and its children; what could not be limited."""
    try:
        import resource
    except ImportError:
        return ["memory", "processor time", "the size of files", "the number of processes"]
    wanted = {
        "RLIMIT_CPU": int(20 * seconds), "RLIMIT_AS": megabytes << 20, "RLIMIT_FSIZE": 64 << 20,
        "RLIMIT_NPROC": processes, "RLIMIT_NOFILE": 64, "RLIMIT_CORE": 0,
    }  # fmt: skip
    missing = []
    for name, value in wanted.items():
        if not value and name != "RLIMIT_CORE":
            continue
        try:
            _, most = resource.getrlimit(getattr(resource, name))
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            hard = value + (name == "RLIMIT_CPU" and value != most)  # a warning, then the end
            resource.setrlimit(getattr(resource, name), (value, hard))
        except (AttributeError, ValueError, OSError):
            missing.append(f"the limit {name}")
    return missing


def may_drop(user: int, paths: Iterable[str]) -> bool:
    """Whether this process is no superuser's, or can become this user and still read all that."""
    if os.getuid():
        return True
    try:
        os.seteuid(user)
        return all(os.access(path, os.R_OK, effective_ids=True) for path in paths)
    except OSError:
        return False
    finally:
        os.seteuid(0)


def drop_rights(user: int, paths: Iterable[str]) -> None:
    """No rights of a superuser from here on: root becomes this user, where it can read Python."""
    becomes = os.getuid() == 0 and may_drop(user, paths)
    if sys.platform == "linux":
        for capability in range(64):
            libc().prctl(CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    if becomes:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    if sys.platform == "linux":
        header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        libc().capset(header, none)
        prctl(NO_NEW_PRIVS, 1)


def landlock() -> int:
    """The version of Landlock, by which a process gives up rights for itself; 0 without it."""
    if sys.platform != "linux":
        return 0
    return max(libc().syscall(ctypes.c_long(LANDLOCK), None, ctypes.c_size_t(0), 1), 0)


def open_ends() -> list[str]:
    """What a file may do where it has no root of its own."""
    version, ends = landlock(), ["reading outside of its folder"]
    needed = {"writing there": 3, "the network": 4, "signals to processes of yours": 6}
    return ends + [what for what, least in needed.items() if version < least]


def write_only_here():
    """By Landlock: no writing outside of the working folder, no TCP, no signals to others."""
    version = landlock()
    if not version:
        return
    writing = (1 << (13 if version < 2 else 14 if version < 3 else 15)) - 1 & ~0b1101
    rights = (ctypes.c_uint64 * 3)(writing, 3 if version > 3 else 0, 3 if version > 5 else 0)
    size = ctypes.c_size_t(8 if version < 4 else 16 if version < 6 else 24)
    ruleset = libc().syscall(ctypes.c_long(LANDLOCK), ctypes.byref(rights), size, 0)
    here = os.open(".", os.O_RDONLY)
    null = os.open(os.devnull, os.O_RDONLY)
    for folder, allowed in ((here, writing), (null, 2)):
        rule = struct.pack("=Qi", allowed, folder)
        checked(libc().syscall(ctypes.c_long(LANDLOCK + 1), ruleset, 1, rule, 0), "landlock")
    checked(libc().syscall(ctypes.c_long(LANDLOCK + 2), ruleset, 0), "landlock")
    for number in (here, null, ruleset):
        os.close(number)
