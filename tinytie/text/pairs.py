"""Sentence pairs: from files, through subwords, to padded batches."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tinytie.text.bpe import BOS, BPE, EOS, PAD
from tinytie.text.files import read_text

Pair = tuple[str, str]


def read_pairs(path: str | os.PathLike) -> list[Pair]:
    """A file with a sentence, a tab and its translation on each line. Empty lines are skipped.

    Raises ValueError on a line without exactly one tab, naming it.
    """
    pairs = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        parts = line.split("\t")
        if len(parts) != 2:
            raise ValueError(
                f"{str(path)!r} line {number} has {len(parts) - 1} tabs; each line must be a "
                "sentence, one tab, and its translation"
            )
        pairs.append((parts[0].strip(), parts[1].strip()))
    return pairs


def read_aligned(source: str | os.PathLike, target: str | os.PathLike) -> list[Pair]:
    """Two files, where a line of one is the translation of the same line of the other.

    Raises ValueError, with both counts, where they have not equally many lines.
    """
    left, right = read_lines(source), read_lines(target)
    if len(left) != len(right):
        raise ValueError(
            f"{str(source)!r} has {len(left)} lines but {str(target)!r} has {len(right)}; "
            "each line must have its translation on the same line of the other file"
        )
    return [(a.strip(), b.strip()) for a, b in zip(left, right, strict=True)]


def read_lines(path):
    """The lines of a text file; only a newline ends one."""
    return read_text(path).removesuffix("\n").split("\n")


class Encoded(NamedTuple):
    """A pair as ids: source words <eos>, and <bos> target words <eos>."""

    source: list[int]
    target: list[int]


def encode_pairs(pairs: Sequence[Pair], bpe: BPE) -> list[Encoded]:
    """Each pair as subword ids with the marks that a `Translator` expects."""
    return [
        Encoded([*bpe.encode(source), EOS], [BOS, *bpe.encode(target), EOS])
        for source, target in pairs
    ]


def padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Rows of different lengths as one array, (B, longest), with padding at their ends."""
    ids = np.full((len(rows), max(map(len, rows))), PAD)
    for row, values in zip(ids, rows, strict=True):
        row[: len(values)] = values
    return ids


def batches(
    encoded: Sequence[Encoded], batch_size: int, rng: np.random.Generator | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All pairs once as (source, target) arrays, sentences of like length together.

    With a generator the pairs are shuffled first, so that pairs of one length meet in new batches,
    and the batches come in random order. Without one, from short to long.
    """
    drawn = np.arange(len(encoded)) if rng is None else rng.permutation(len(encoded))
    order = sorted(drawn, key=lambda i: tuple(map(len, encoded[i])))  # keeps ties as they are
    starts = np.arange(0, len(order), batch_size)
    for start in starts if rng is None else rng.permutation(starts):
        some = [encoded[i] for i in order[start : start + batch_size]]
        yield padded([pair.source for pair in some]), padded([pair.target for pair in some])
