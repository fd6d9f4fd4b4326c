"""Pretrained word vectors: the text formats of GloVe and word2vec, read line by line.

A line is a word and its numbers, separated by single spaces. word2vec puts a line with the number
of vectors and their width in front. Only the vectors of words in the vocabulary are kept.
`write_vectors` writes that format, which most programs for word vectors read.
"""

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tinytie.printable import printable
from tinytie.text.vocabulary import Vocabulary

LONGEST_LINE = 2**20  # bytes; a vector of 300 numbers needs about 3,000
REPORT_EVERY = 10_000  # lines
BLANK = "␣"  # how a blank inside a word is written, for most programs take it for the word's end
NOT_TEXT = "unpack a compressed file first, and save a binary word2vec file as text"


class Vectors(NamedTuple):
    """Vectors for the words of a vocabulary; rows of zeros where the file has none."""

    rows: np.ndarray  # (V, D) float64
    found: np.ndarray  # (V,) bool
    lines: int  # vectors in the file
    duplicates: int  # further lines of words that were found before; the first line counts

    def __str__(self) -> str:
        n, size, width = np.count_nonzero(self.found), *self.rows.shape
        text = f"{n:,} of {size:,} words found ({n / size:.1%}) among {self.lines:,} vectors"
        text += f" of width {width}"
        if self.duplicates:
            text += f"; {self.duplicates:,} further lines of the same words were left out"
        return text


class Line(NamedTuple):
    number: int  # from 1
    offset: int  # of its first byte in the file
    text: str


def read_vectors(
    path: str | os.PathLike[str], words: Sequence[str], *,
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:  # fmt: skip
    """Look up each of `words`, the vocabulary in the order of its ids, in a file of vectors.

    progress(bytes read, bytes of the file) is called every 10,000 lines and at the end. Raises
    ValueError, with the file and the line, on a width that differs from the first line's, what is
    not a finite number, what is not UTF-8, a file cut short, or one without vectors; and on a
    vocabulary that names a word twice.
    """
    path = os.fspath(path)
    if not words:
        raise ValueError("the vocabulary is empty: there are no words to look up")
    ids = Vocabulary(words).ids
    found = np.zeros(len(words), bool)
    header, lines = split_header(path, text_lines(path, progress))
    rows, width, count, duplicates = None, header[1] if header else None, 0, 0
    for line in lines:
        word, vector = parsed(path, line, width)
        if rows is None:
            width, rows = len(vector), no_rows(path, len(words), len(vector))
        count += 1
        i = ids.get(word, ids.get(word.replace(BLANK, " ")))
        if i is not None and not found[i]:
            rows[i], found[i] = vector, True
        elif i is not None:
            duplicates += 1
    if rows is None:
        raise ValueError(f"{path!r} holds no vectors")
    if header and header[0] != count:
        raise ValueError(
            f"{path!r} holds {count:,} vectors, but its line 1 promises {header[0]:,}: "
            "the file was cut short, or changed"
        )
    return Vectors(rows, found, count, duplicates)


def write_vectors(file: BinaryIO, words: Sequence[str], rows: np.ndarray) -> None:
    """The rows (V, D) of the words in word2vec's text format, each number to its last digit.

    A blank in a word is written as ␣, which `read_vectors` understands, a new line as its escape.
    Raises ValueError where two words would be written alike.
    """
    written = [printable(word).replace("\n", "\\n").replace(" ", BLANK) or BLANK for word in words]
    if len(set(written)) < len(written):
        twice = next(word for word, n in Counter(written).items() if n > 1)
        raise ValueError(f"two words would both be written as {twice!r}")
    file.write(f"{len(rows)} {rows.shape[1]}\n".encode())
    for word, row in zip(written, rows, strict=True):
        file.write(f"{word} {' '.join(map(str, row))}\n".encode())


def no_rows(path, n_words, width):
    """A row of zeros for each word."""
    try:
        return np.zeros((n_words, width))
    except MemoryError:
        raise ValueError(
            f"{path!r}, line 1 holds {width:,} numbers: {n_words:,} such vectors do not fit into "
            "the memory"
        ) from None


def text_lines(path: str, progress: Any) -> Iterator[Line]:
    """The lines that are not empty, never more than one of them in memory."""
    if not os.path.isfile(path):
        raise ValueError(f"there is no file {path!r}")
    size, offset, number = os.path.getsize(path), 0, 0
    with open(path, "rb") as file:
        while raw := file.readline(LONGEST_LINE):
            number += 1
            text = decoded(path, number, offset, raw)
            if text:
                yield Line(number, offset, text)
            offset += len(raw)
            if progress is not None and number % REPORT_EVERY == 0:
                progress(offset, size)
    if progress is not None:
        progress(size, size)


def decoded(path, number, offset, raw):
    """One line as text, without its end and without a byte order mark."""
    if len(raw) == LONGEST_LINE:
        raise ValueError(
            f"{path!r}, line {number} has more than {LONGEST_LINE:,} bytes: {NOT_TEXT}"
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path!r}, line {number} is not UTF-8: byte {offset + error.start} of the file is "
            f"0x{raw[error.start]:02x}; {NOT_TEXT}"
        ) from None
    return text.lstrip("\ufeff" if number == 1 else "").rstrip(" \t\r\n")


def split_header(path, lines):
    """(number of vectors, width) from a first line of two whole numbers, or None; all the rest."""
    first = next(lines, None)
    if first is None:
        raise ValueError(f"{path!r} is empty: there are no vectors to read")
    fields = first.text.split(" ")
    if len(fields) == 2 and all(field.isdecimal() and len(field) < 20 for field in fields):
        return (int(fields[0]), int(fields[1])), lines
    return None, chain([first], lines)


def parsed(path, line, width):
    """(word, its numbers). A few words of GloVe hold spaces: what is no number belongs to them."""
    word, *fields = line.text.split(" ")
    if width is not None:
        while len(fields) > width and not is_number(fields[0]):
            word += " " + fields.pop(0)
    if not fields or (width is not None and len(fields) != width):
        expected = "a word and its numbers" if width is None else f"{width} numbers after the word"
        raise ValueError(
            f"{path!r}, line {line.number} has {len(fields)} numbers after {word[:40]!r}; "
            f"expected {expected}, separated by single spaces"
        )
    return word, finite_numbers(path, line, word, fields)


def finite_numbers(path, line, word, fields):
    """The numbers of one vector."""
    try:
        vector = list(map(float, fields))
    except ValueError:
        vector = [math.nan]
    if not all(map(math.isfinite, vector)):
        wrong = next(field for field in fields if not is_finite(field))
        raise ValueError(
            f"{path!r}, line {line.number}: the vector of {word[:40]!r} holds {wrong[:40]!r}, "
            "which is not a finite number"
        )
    return vector


def is_number(field):
    """Whether it reads as a float, be it inf or nan."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def is_finite(field):
    return is_number(field) and math.isfinite(float(field))
