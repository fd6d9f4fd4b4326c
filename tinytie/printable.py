"""Any text on any terminal: no control character moves the cursor, no letter stops a program."""

import io
import sys


def printable(text: str) -> str:
    """The text with every character that is not printable, but for newlines, as its escape.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def escape_what_is_missing() -> None:
    """From here on a character that the terminal's encoding does not have is shown as its escape,
    where Python would raise UnicodeEncodeError.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
