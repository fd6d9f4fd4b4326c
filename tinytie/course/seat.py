"""A student's process as the judge sees it: it is handed a file, asked, and ended.

The judge sends arguments and reads values; it runs nothing that a student wrote.
"""

import contextlib
import os
import secrets
import sys
import time
from typing import ClassVar, NamedTuple

from tinytie.course.desk.line import Closed, Line, Refused
from tinytie.course.desk.supervise import ENDED
from tinytie.course.desk.wire import Garbled
from tinytie.course.program import Late, Program

CALLBACK_LIMIT = 1_000_000  # bytes that a student's file may send to a function of the judge


class Ended(Exception):  # noqa: N818
    """The student's process is gone, or had to go; the message is a sentence for the student."""


class Uncontained(ValueError):  # noqa: N818
    """No mode in which a file may run here; a sentence for the teacher."""


class Limits(NamedTuple):
    seconds: float = 10.0  # for loading a file, and for one exercise of it
    megabytes: int = 1024  # of memory
    processes: int = 16
    disk: int = 64  # megabytes


class Seat:
    """One student's place. Use it in a `with`; `open` a file, `call` its functions, `close` it."""

    modes: ClassVar = [(True, True), (False, True), (False, False)]  # (rooms, fork), best first

    def __init__(self, limits: Limits = Limits(), package: bool = True) -> None:  # noqa: B008
        self.limits, self.package = limits, package
        self.program: Program | None = None
        self.missing: list[str] = []  # what the system does not enforce
        self.serial, self.printed, self.closing = "", b"", False
        self.start_clock()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave()

    def start_clock(self, seconds: float = 0) -> None:
        """From here on the limit of one exercise runs, or these seconds where they are more."""
        self.seconds = max(seconds, self.limits.seconds)
        self.deadline = time.monotonic() + self.seconds

    def open(self, name: str, source: str) -> str:
        """Run a file; a sentence where it cannot be loaded. Raises Ended."""
        program = self.program or self.start()
        self.start_clock()
        self.serial = secrets.token_hex(8)
        program.mark = f"\0{self.serial}\n".encode()
        self.line.functions.clear()
        word, *rest = self.guarded(self.load, name, source)
        if (word, rest[:1]) != ("loaded", [self.serial]):
            self.disturbed()
        return rest[1]

    def load(self, name, source):
        self.line.say("file", self.serial, name, source)
        return self.line.hear()

    def call(self, target, names, values):
        """What a function of the file gives. Raises Refused with a sentence, or Ended."""
        return self.guarded(self.line.call, target, names, values)

    def close(self) -> str:
        """End the file, and all that it started. Returns what it printed."""
        if self.program and self.serial:
            self.start_clock()
            self.closing = True
            with contextlib.suppress(Ended):
                self.guarded(self.line.say, "close")
                while True:
                    self.guarded(self.line.hear)
            self.serial, self.closing = "", False
        if self.program:
            self.printed += bytes(self.program.printed)
            self.program.printed.clear()
        printed, self.printed = self.printed, b""
        return printed.decode("utf-8", "replace")

    def guarded(self, action, *arguments):
        """Talk to the process; whatever it sends that is no answer, ends it."""
        try:
            return action(*arguments)
        except Closed as closed:
            if self.program and closed.args[0] == self.serial:
                self.program.quiet.wait(1)  # until all that it printed is here
                self.program.quiet.clear()
            if not self.closing:
                self.leave()
            raise Ended(closed.args[1] or ENDED) from None
        except Late:
            self.leave()
            said = f"it did not come back within {self.seconds:g} seconds: a loop without an end?"
            raise Ended(said) from None
        except (Garbled, EOFError, OSError):
            return self.disturbed()

    def disturbed(self):
        self.leave()
        raise Ended("it writes into the pipe of the grader, or closes it")

    def serve(self, target, names, values):
        """A function of the judge that the law handed out, called with plain values."""
        if self.line.size > CALLBACK_LIMIT:
            raise Refused("this function of the grader takes no arguments as large as these")
        if not isinstance(target, int) or not 0 <= target < len(self.line.functions):
            raise Refused("there is no such function")
        try:
            return self.line.functions[target](*values)
        except Ended:  # it called the file, in its turn
            raise
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {error}") from None

    def start(self):
        """In the best of the modes that this system allows, to which all later seats keep."""
        problems = []
        for rooms, fork in Seat.modes:
            allowed = fork == hasattr(os, "fork") and (sys.platform == "linux" or not rooms)
            problem = self.start_in(rooms, fork) if allowed else "not on this system"
            if not problem:
                Seat.modes = [(rooms, fork)]  # a bad moment must not make a worse mode of it
                return self.program
            self.leave()
            problems.append(problem)
        raise Uncontained(f"nothing can be graded here: {'; '.join(problems)}")

    def start_in(self, rooms, fork):
        """Start the program; a sentence where it cannot do its work."""
        program = Program(rooms, fork, self.limits._asdict() | {"package": self.package})
        self.program = program
        self.line = Line(
            lambda: program.receive(self.deadline),
            lambda frame: program.send(frame, self.deadline),
            self.serve, self.call,
        )  # fmt: skip
        self.start_clock(60)  # a slow disk, not a student
        try:
            _, problem, self.missing = self.line.hear()
        except (Garbled, Closed, Late, EOFError, ValueError, OSError):
            return program.printed.decode("utf-8", "replace")[-300:] or "it does not start"
        return problem

    def leave(self) -> None:
        """End the process and everything below it."""
        program, self.program, self.serial = self.program, None, ""
        if program is not None:
            program.end()
            self.printed += bytes(program.printed)
