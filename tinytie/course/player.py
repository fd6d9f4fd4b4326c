"""Plays a lesson in the terminal, step after step: prose, code, then what the code prints.

A step is a cell of code with the prose above it. Who sits there can go on, back or to any step, see
the figure, and is asked for a prediction, which is shown again beside the output that answers it.
"""

import contextlib
import io
import re
import sys
import traceback
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TextIO

from tinytie.course.cells import CODE, Cell
from tinytie.course.paper import DIM, color, height, styled_code, styled_prose
from tinytie.course.shelf import Lesson

Ask = Callable[[str], str | None]  # a prompt -> what was typed; None at the end of the input
BACK, FIGURE, QUIT = ("b", "back"), ("f", "figure"), ("q", "quit")


class Step(NamedTuple):
    prose: list[Cell]
    code: Cell | None  # None: the prose after the last cell of code


def steps_of(lesson: Lesson) -> list[Step]:
    """The steps of a lesson, in order."""
    steps: list[Step] = []
    prose: list[Cell] = []
    for cell in lesson.cells:
        if cell.kind == CODE:
            steps.append(Step(prose, cell))
            prose = []
        else:
            prose.append(cell)
    return [*steps, Step(prose, None)]


def play(lesson: Lesson, ask: Ask | None = None, first: int = 1) -> bool:
    """Show and run every step from `first` on; `ask` is how to ask somebody, None where nobody is.

    Returns whether the lesson came to its end. An error in a cell is shown as Python shows it,
    and ends the lesson.
    """
    return Player(lesson, ask).play(first)


class Player:
    """A lesson under way: its names, what each step printed, and what was predicted."""

    def __init__(self, lesson: Lesson, ask: Ask | None) -> None:
        self.lesson, self.ask, self.steps = lesson, ask, steps_of(lesson)
        self.names = {"__name__": "__main__", "__file__": str(lesson.path)}
        self.printed: list[str] = []  # of the steps that have run
        self.prediction: str | None = None
        self.room = height() - 2  # lines before somebody must be waited for

    def play(self, first: int) -> bool:
        folder = str(self.lesson.path.parent)
        sys.path.insert(0, folder)  # a script finds what lies beside it
        try:
            return self.walk(first - 1)
        except Stopped:
            print("See you next time.")
            return False
        finally:
            sys.path.remove(folder)

    def walk(self, at):
        """Step after step, as asked for."""
        while at < len(self.steps):
            if not (self.run_silently(at) and self.show(at)):
                return False
            at = self.next_step(at) if at + 1 < len(self.steps) else at + 1
        return True

    def run_silently(self, upto):
        """Run the steps that were jumped over."""
        for step in self.steps[len(self.printed) : upto]:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                done = self.run(step.code)
            if not done:
                print(out.getvalue())
                return False
            self.printed.append(out.getvalue())
        return True

    def show(self, at):
        """One step: prose, code, and its output, which is kept for who comes back."""
        prose, code = self.steps[at]
        for cell in prose:
            self.say(styled_prose(cell.text))
            self.say("")
        if code is None:
            return True
        if at == 0 and self.prediction is None:
            self.prediction = self.asked("Your prediction: ")
        self.say(styled_code(code.text))
        self.say("")
        if code.answers and self.prediction:
            changed = self.asked("Here comes the answer. Enter, or another prediction: ")
            self.prediction = changed or self.prediction
        if at < len(self.printed):
            print(self.printed[at])
            return True
        with contextlib.redirect_stdout(Tee(sys.stdout)) as out:
            done = self.run(code)
        self.printed.append(out.getvalue())
        if done and code.answers and self.prediction:
            print(f"You predicted: {self.prediction}")
        print(flush=True)
        return done

    def say(self, text):
        """Print, and wait where the screen is full: nothing scrolls away unread."""
        for line in text.split("\n"):
            if self.ask and self.room <= 0:
                self.asked("Enter for more ")
            print(line)
            self.room -= 1
        sys.stdout.flush()

    def asked(self, prompt):
        """What was typed, or "" where nobody is there. Raises Stopped at the end of the input."""
        if self.ask is None:
            return ""
        answer = self.ask(color(DIM, prompt))
        self.room = height() - 2
        if answer is None or answer.strip().lower() in QUIT:
            raise Stopped
        return answer.strip()

    def next_step(self, at):
        """Where to go from here, as somebody types it; without anybody, on."""
        while True:
            prompt = f"[{at + 1}/{len(self.steps)}] Enter: on, b: back, 7: to step 7, f: figure, q "
            typed = self.asked(prompt).lower()
            if typed in FIGURE:
                self.open_figure()
            elif typed in BACK:
                return max(at - 1, 0)
            elif re.fullmatch(r"\d+", typed) and 1 <= int(typed) <= len(self.steps):
                return int(typed) - 1
            elif not typed:
                return at + 1
            else:
                print(f"There is no {typed!r}: Enter, b, f, q or a number up to {len(self.steps)}.")

    def open_figure(self):
        """The figure in whatever shows pictures here, once its cell has run."""
        found = re.findall(r"^pictures/\S+$", "".join(self.printed), re.MULTILINE)
        places = [self.lesson.path.parent, Path.cwd()]
        files = [place / found[-1] for place in places if found and (place / found[-1]).exists()]
        if files:
            print(files[0])
            webbrowser.open(files[0].as_uri())
        else:
            print("The figure is not drawn yet: it comes with the cell that saves it.")

    def run(self, cell):
        """Run one cell; True unless it raised. Line numbers are those of the lesson's file."""
        padded = "\n" * (cell.line - 1) + cell.text
        try:
            exec(compile(padded, self.names["__file__"], "exec"), self.names)
        except Exception as error:
            frames = error.__traceback__.tb_next if error.__traceback__ else None
            traceback.print_exception(type(error), error, frames, file=sys.stdout)
            return False
        return True


class Stopped(Exception):  # noqa: N818 (nothing failed: somebody has had enough)
    """Somebody typed q, or the input ended."""


class Tee(io.StringIO):
    """Keeps what is written to it, and passes it on at once."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(text)
        self.stream.flush()
        return super().write(text)


def typed(prompt: str) -> str | None:
    """A line from the keyboard; None at the end of the input (Ctrl-D)."""
    try:
        return input(prompt)
    except EOFError:
        print()
        return None


def waits() -> bool:
    """Whether somebody sits there: only a terminal on both sides is asked anything."""
    return sys.stdin.isatty() and sys.stdout.isatty()
