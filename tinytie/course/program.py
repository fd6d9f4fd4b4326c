"""The process of a seat: started, read and written with a deadline, and ended with all below it."""

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import ClassVar

import numpy as np

import tinytie
from tinytie.course.desk import fence
from tinytie.course.desk.processes import children_of, kill_all, remove
from tinytie.course.desk.wire import Garbled, read_frame
from tinytie.course.shelf import lessons_folder

PACKAGE = Path(tinytie.__file__).resolve().parent
NUMPY = Path(np.__file__).resolve().parents[1]
BOOT = "import sys; sys.path += {}; from tinytie.course.desk.supervise import main; main()"
PRINTED_LIMIT = 10_000  # bytes of a file's output that are kept
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
    "LC_ALL": "C.UTF-8", "PATH": os.defpath,
}  # fmt: skip
SYSTEM = {"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT"}  # and no secret of the teacher's


class Late(Exception):  # noqa: N818
    """The deadline has passed."""


class Program:
    """A supervisor at work, in a folder of its own.

    rooms: whether it makes a root and processes of its own (Linux). fork: whether it forks for a
    file, or runs one file and ends. options: what the supervisor is told besides.
    """

    running: ClassVar[set["Program"]] = set()

    def __init__(self, rooms: bool, fork: bool, options: dict) -> None:
        self.rooms, self.before = rooms, set(children_of(os.getpid()))
        self.place = Path(tempfile.mkdtemp(prefix="tinytie-"))
        self.process: subprocess.Popen | None = None
        self.running.add(self)
        self.place.chmod(0o711)
        if not rooms:
            fence.prctl(fence.SUBREAPER, 1)
        options |= {"rooms": rooms, "fork": fork, "place": str(self.place)}
        options |= surroundings(options["package"], options["processes"], rooms)
        boot = BOOT.format([str(PACKAGE.parent), str(NUMPY)])
        system = {name: os.environ[name] for name in SYSTEM if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", boot, json.dumps(options)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            start_new_session=True, cwd=self.place, env=ENVIRONMENT | system,
        )  # fmt: skip
        self.pid = self.process.pid
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.pipe, self.answers, self.prints = (
            self.process.stdin, self.process.stdout, self.process.stderr,
        )  # fmt: skip
        if os.name == "posix":
            os.set_blocking(self.pipe.fileno(), False)
        self.frames: queue.Queue = queue.Queue(2)
        self.printed, self.mark, self.quiet = bytearray(), b"", threading.Event()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        for thread in (self.listener, threading.Thread(target=self.drain, daemon=True)):
            thread.start()

    def listen(self):
        """Frames as they come; None after the last."""
        try:
            while True:
                self.frames.put(read_frame(self.answers.read))
        except (EOFError, Garbled, OSError, ValueError):
            self.frames.put(None)

    def drain(self):
        """What the file prints: the beginning is kept, the rest is read and dropped."""
        tail = b""
        with contextlib.suppress(OSError, ValueError):
            while part := self.prints.read(1 << 16):
                tail = tail[-40:] + part
                if self.mark and self.mark in tail:
                    self.quiet.set()
                    part = part.replace(self.mark, b"")
                self.printed += part[: PRINTED_LIMIT - len(self.printed)]
        self.quiet.set()

    def receive(self, deadline: float) -> tuple[bytes, bytes]:
        """The next frame. Raises Late, or EOFError where there is none any more."""
        try:
            frame = self.frames.get(timeout=left(deadline))
        except queue.Empty:
            raise Late from None
        if frame is None:
            raise EOFError
        return frame

    def send(self, frame: bytes, deadline: float) -> None:
        """Write a frame. Raises Late where nobody reads it."""
        rest = memoryview(frame)
        while rest:
            if os.name == "posix" and not select.select([], [self.pipe], [], left(deadline))[1]:
                raise Late
            rest = rest[self.pipe.write(rest) or 0 :]

    def end(self) -> None:
        """End the process and everything below it; remove its folder."""
        if self.process is not None:
            for end in (self.process.terminate, self.process.kill):
                with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                    end()
                    self.process.wait(2)
                    break
            if hasattr(os, "killpg"):
                with contextlib.suppress(OSError):
                    os.killpg(self.pid, signal.SIGKILL)
            for pipe in (self.pipe, self.answers, self.prints):
                with contextlib.suppress(OSError):
                    pipe.close()
        self.running.discard(self)
        if not self.rooms:  # in rooms the system ends them all
            self.sweep()
        if self.process is not None:
            self.drop_frames()
        remove(self.place)

    def drop_frames(self):
        """The listener may wait for somebody to take them; nobody will."""
        for _ in range(100):
            if self.listener.is_alive():
                with contextlib.suppress(queue.Empty):
                    self.frames.get(timeout=0.01)

    def sweep(self):
        """What a file left alive, by killing what watches over it, has become our child by now."""
        ours = {program.process.pid for program in self.running if program.process}
        for pid in set(children_of(os.getpid())) - ours - self.before:
            with contextlib.suppress(OSError):
                if os.getsid(pid) != os.getsid(0):  # a student's is in a session of its own
                    kill_all(pid)
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)


def left(deadline):
    """Seconds until then. Raises Late where there are none."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise Late
    return seconds


def surroundings(package, processes, rooms):
    """What the process may see, what it must be able to read, and how many processes there are."""
    seen = {sys.prefix, sys.base_prefix, str(NUMPY)}
    seen |= {path for path in sys.path if "site-packages" in path and os.path.isdir(path)}
    hidden = [str(lessons_folder())]
    (seen.add if package else hidden.append)(str(PACKAGE))
    if not rooms:  # counted with all others of the same user, where the system lists them
        processes = processes + len(os.listdir("/proc")) if os.path.isdir("/proc/self") else 0
    python = [os.__file__, np.__file__, *([tinytie.__file__] if package else [])]
    return {
        "seen": sorted(seen), "hidden": hidden, "python": python, "limit_processes": processes,
        "environment": ENVIRONMENT,
    }  # fmt: skip
