"""Plays a lesson in the terminal: prose, code, then what the code prints, cell after cell."""

import os
import re
import sys
import traceback
from collections.abc import Callable

from tinytie.course.cells import CODE, PROSE
from tinytie.course.shelf import Lesson

BOLD, CODE_COLOR, DIM, PLAIN = "\033[1m", "\033[36m", "\033[2m", "\033[0m"


def play(lesson: Lesson, pause: Callable[[], bool]) -> bool:
    """Show and run every cell; `pause()` after each piece of code says whether to go on.

    Returns whether the lesson came to its end. An error in a cell is shown as Python shows it,
    and ends the lesson.
    """
    names = {"__name__": "__main__", "__file__": str(lesson.path)}
    last = max(i for i, cell in enumerate(lesson.cells) if cell.kind == CODE)
    for i, cell in enumerate(lesson.cells):
        if cell.kind == PROSE:
            print(styled_prose(cell.text), end="\n\n", flush=True)
            continue
        print(styled_code(cell.text), end="\n\n", flush=True)
        if not run_cell(cell, names):
            return False
        print(flush=True)
        if i < last and not pause():
            print("See you next time.")
            return False
    return True


def run_cell(cell, names):
    """Run one cell; True unless it raised. Line numbers are those of the lesson's file."""
    padded = "\n" * (cell.line - 1) + cell.text
    try:
        exec(compile(padded, names["__file__"], "exec"), names)
    except Exception as error:
        frames = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, frames, file=sys.stdout)
        return False
    return True


def wait_for_enter() -> bool:
    """True on Enter; False on q or on the end of the input (Ctrl-D)."""
    try:
        answer = input(color(DIM, "Enter to go on, q to stop "))
    except EOFError:
        print()
        return False
    return not answer.strip().lower().startswith("q")


def go_on() -> bool:
    """No pause."""
    return True


def waits() -> bool:
    """Whether somebody sits there: only a terminal on both sides is asked to press Enter."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def color(code, text):
    """The text in a color, where standard output is a terminal that has them."""
    able = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return f"{code}{text}{PLAIN}" if able and not os.environ.get("NO_COLOR") else text


def styled_prose(text):
    """Headings in bold without their #, emphasis without its stars."""
    text = re.sub(r"\*\*([^*]+)\*\*", r"\1", text)
    text = re.sub(r"(?<![\w*])\*(?=\S)([^*]+)(?<=\S)\*(?![\w*])", r"\1", text)
    heading = re.compile(r"^#+ ")
    return "\n".join(
        color(BOLD, heading.sub("", line)) if heading.match(line) else line
        for line in text.splitlines()
    )


def styled_code(text):
    """Each line behind a bar."""
    return "\n".join(color(CODE_COLOR, f"│ {line}".rstrip()) for line in text.splitlines())
