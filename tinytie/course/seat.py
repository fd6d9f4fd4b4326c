"""A student's process as the judge sees it: started, handed a file, asked, and ended.

The judge sends arguments and reads values; it runs nothing that a student wrote.
"""

import contextlib
import json
import os
import queue
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

import tinytie
from tinytie.course.desk import fence, supervise
from tinytie.course.desk.wire import Closed, Garbled, Line, Refused, read_frame
from tinytie.course.shelf import lessons_folder

PACKAGE = Path(tinytie.__file__).resolve().parent
BOOT = "import sys; sys.path += {}; from tinytie.course.desk.supervise import main; main()"
PRINTED_LIMIT = 10_000  # bytes of a file's output that are kept
CALLBACK_LIMIT = 1_000_000  # bytes that a student's file may send to a function of the judge
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
    "LC_ALL": "C.UTF-8", "PATH": os.defpath,
}  # fmt: skip
SYSTEM = {"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT"}  # and no secret of the teacher's


class Ended(Exception):  # noqa: N818
    """The student's process is gone, or had to go; the message is a sentence for the student."""


class Limits(NamedTuple):
    seconds: float = 10.0  # for loading a file and one exercise of it
    megabytes: int = 1024  # of memory
    processes: int = 16
    disk: int = 64  # megabytes


class Seat:
    """One student's place. Use it in a `with`; `open` a file, `call` its functions, `close` it."""

    modes: ClassVar = [(True, True), (False, True), (False, False)]  # (rooms, fork), best first
    taken: ClassVar[set["Seat"]] = set()

    def __init__(self, limits: Limits = Limits(), package: bool = True) -> None:  # noqa: B008
        self.limits, self.package = limits, package
        self.process: subprocess.Popen | None = None
        self.missing: list[str] = []  # what the system does not enforce
        self.serial, self.printed, self.closing = "", bytearray(), False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave()

    def open(self, name: str, source: str) -> str:
        """Run a file; a sentence where it cannot be loaded. Raises Ended."""
        if self.process is None:
            self.start()
        self.start_clock()
        self.serial = secrets.token_hex(8)
        self.line.functions.clear()
        self.line.say("file", self.serial, name, source)
        word, *rest = self.guarded(self.line.hear)
        if (word, rest[:1]) != ("result", [self.serial]) or len(rest) != 2:
            self.disturbed()
        return str(rest[1])

    def start_clock(self, seconds: float = 0) -> None:
        """From here on the limit of one exercise runs, or these seconds where they are more."""
        self.seconds = max(seconds, self.limits.seconds)
        self.deadline = time.monotonic() + self.seconds

    def call(self, target, names, values):
        """What a function of the file gives. Raises Refused with a sentence, or Ended."""
        return self.guarded(lambda: self.line.call(target, names, values))

    def guarded(self, action):
        """Talk to the process; whatever it sends that is no answer, ends it."""
        try:
            return action()
        except Closed as closed:
            if closed.args[0] == self.serial:
                self.quiet.wait(1)  # until all that it printed is here
                self.quiet.clear()
            if not self.closing:
                self.leave()
            raise Ended(str(closed.args[-1]) or supervise.ENDED) from None
        except (Garbled, EOFError, OSError):
            return self.disturbed()

    def disturbed(self):
        self.leave()
        raise Ended("it writes into the pipe of the grader, or closes it")

    def close(self) -> str:
        """End the file, and all that it started. Returns what it printed."""
        if self.process is not None and self.serial:
            self.deadline, self.closing = time.monotonic() + 2, True
            with contextlib.suppress(Ended):
                self.guarded(lambda: self.line.say("close"))
                while True:
                    self.guarded(self.line.hear)
            self.serial, self.closing = "", False
        printed, self.printed[:] = bytes(self.printed), b""
        return printed.decode("utf-8", "replace")

    # the process ---------------------------------------------------------------------------

    def start(self):
        """In the best of the modes that this system allows; remembered for the next seats."""
        problems = []
        for mode in list(self.modes):
            problem = self.start_in(*mode)
            if not problem:
                return
            self.leave()
            problems.append(problem)
            if len(self.modes) > 1:
                Seat.modes = self.modes[1:]
        raise ValueError(f"nothing can be graded here: {'; '.join(problems)}")

    def start_in(self, rooms, fork):
        if fork != hasattr(os, "fork") or (rooms and sys.platform != "linux"):
            return "not on this system"
        self.fork, self.place = fork, tempfile.mkdtemp(prefix="tinytie-")
        os.chmod(self.place, 0o711)
        self.rooms, self.before = rooms, set(supervise.children_of(os.getpid()))
        if not rooms:
            fence.prctl(fence.SUBREAPER, 1)
        options = self.limits._asdict() | self.surroundings(rooms)
        options |= {"rooms": rooms, "fork": fork, "package": self.package, "place": self.place}
        where = [str(PACKAGE.parent), str(Path(np.__file__).resolve().parents[1])]
        system = {name: os.environ[name] for name in SYSTEM if name in os.environ}
        command = [sys.executable, "-I", "-B", "-X", "utf8", "-c", BOOT.format(where)]
        self.process = subprocess.Popen(
            [*command, json.dumps(options)], cwd=self.place, bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, env=ENVIRONMENT | system,
        )  # fmt: skip
        assert self.process.stdin is not None
        self.pipe = self.process.stdin
        self.supervisor = self.process.pid
        self.taken.add(self)
        if os.name == "posix":
            os.set_blocking(self.pipe.fileno(), False)
        self.frames: queue.Queue = queue.Queue(2)
        self.serial, self.printed, self.quiet = "", bytearray(), threading.Event()
        for work in (self.listen, self.drain):
            threading.Thread(target=work, args=(self.process,), daemon=True).start()
        self.line = Line(self.receive, self.send, self.serve)
        self.start_clock(60)  # a slow disk, not a student
        try:
            _, problem, missing = self.line.hear()
        except (Garbled, Closed, EOFError, Ended, ValueError, OSError):
            return self.printed.decode("utf-8", "replace")[-300:] or "it does not start"
        self.missing = missing
        return problem

    def surroundings(self, rooms):
        """What the process may see, and its environment."""
        numpy = Path(np.__file__).resolve().parents[1]
        seen = {sys.prefix, sys.base_prefix, str(numpy)}
        seen |= {path for path in sys.path if "site-packages" in path and os.path.isdir(path)}
        hidden = [str(lessons_folder())]
        (seen.add if self.package else hidden.append)(str(PACKAGE))
        others = 0
        if not rooms:
            others = (
                len(os.listdir("/proc")) if os.path.isdir("/proc/self") else -self.limits.processes
            )
        return {
            "seen": sorted(seen), "hidden": hidden,
            "python": [os.__file__, np.__file__, *([tinytie.__file__] if self.package else [])],
            "limit_processes": self.limits.processes + others,
            "environment": ENVIRONMENT,
        }  # fmt: skip

    def listen(self, process):
        """Frames as they come; None after the last."""

        def read(n):
            parts = []
            while n and (part := process.stdout.read(n)):
                parts.append(part)
                n -= len(part)
            return b"".join(parts)

        frames = self.frames
        try:
            while True:
                frames.put(read_frame(read))
        except (EOFError, Garbled, OSError, ValueError):
            frames.put(None)

    def drain(self, process):
        """What the file prints: the beginning is kept, the rest is read and dropped."""
        printed, quiet = self.printed, self.quiet
        tail = b""
        with contextlib.suppress(OSError, ValueError):
            while part := process.stderr.read(1 << 16):
                tail = tail[-40:] + part
                mark = f"\0{self.serial}\n".encode()
                if mark in tail:
                    quiet.set()
                printed += part.replace(mark, b"")[: PRINTED_LIMIT - len(printed)]
        quiet.set()

    def remaining(self):
        """Seconds that are left. Ends the process where none are."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            self.late()
        return left

    def late(self):
        self.leave()
        seconds = f"{self.seconds:g} seconds"
        raise Ended(f"it did not come back within {seconds}: a loop without an end?")

    def receive(self):
        try:
            frame = self.frames.get(timeout=self.remaining())
        except queue.Empty:
            self.late()
        if frame is None:
            raise EOFError
        return frame

    def send(self, frame):
        rest = memoryview(frame)
        while rest:
            if os.name == "posix" and not select.select([], [self.pipe], [], self.remaining())[1]:
                self.late()
            rest = rest[self.pipe.write(rest) or 0 :]

    def serve(self, target, names, values):
        """A function of the judge that the law handed out, called with plain values."""
        if self.line.size > CALLBACK_LIMIT:
            raise Refused("this function of the grader takes no arguments as large as these")
        if not isinstance(target, int) or not 0 <= target < len(self.line.functions):
            raise Refused("there is no such function")
        try:
            return self.line.functions[target](*values)
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {error}") from None

    def leave(self):
        """End the process and everything below it; remove its folder."""
        process, self.process = self.process, None
        if process is None:
            return
        self.serial = ""
        for end in (process.terminate, process.kill):
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                end()
                process.wait(2)
                break
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.sweep()
        supervise.remove(Path(self.place))

    def sweep(self):
        """What a file left alive, by killing what watches over it, has become our child by now."""
        self.taken.discard(self)
        if self.rooms:
            return  # there the system ends them all
        ours = {seat.supervisor for seat in self.taken}
        for pid in set(supervise.children_of(os.getpid())) - ours - self.before:
            with contextlib.suppress(OSError):
                if os.getsid(pid) != os.getsid(0):  # a student's is in a session of its own
                    supervise.kill_all(pid)
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
