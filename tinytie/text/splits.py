"""Training, validation, test: which part of a text is for what."""

from typing import NamedTuple


class Shares(NamedTuple):
    train: float
    valid: float
    test: float


SHARES = Shares(0.8, 0.1, 0.1)


def split_lines(text: str) -> tuple[str, str, str]:
    """(train, valid, test): the text's first 80 %, then 10 %, then 10 %, cut at ends of lines.

    A text of a few long lines is cut inside them, at a blank. Raises ValueError where a part would
    be empty.
    """
    first = cut_near(text, SHARES.train)
    second = cut_near(text, SHARES.train + SHARES.valid)
    parts = text[:first], text[first:second], text[second:]
    if not all(part.strip() for part in parts):
        raise ValueError(
            f"a text of {len(text)} characters is too short to be split into training, validation "
            "and test; use a longer one"
        )
    return parts


def cut_near(text, share):
    """The place after the first newline, or else blank, from this share on; within 5 % of it."""
    start, reach = int(share * len(text)), max(1, len(text) // 20)
    for mark in ("\n", " "):
        found = text.find(mark, start, start + reach)
        if found >= 0:
            return found + 1
    return start
