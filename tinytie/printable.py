"""Text of unknown origin on a terminal: a control character must not move the cursor."""


def printable(text: str) -> str:
    """The text with every character that is not printable, but for newlines, as its escape.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
