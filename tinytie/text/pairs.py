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


class PairBatches:
    """All pairs as (source, target) arrays, each (B, longest), sentences of like length together.

    With a seed, `shuffle(epoch)` draws another order: pairs of one length meet in new batches, and
    the batches come in a new order. It depends on the seed and the epoch alone, so that a run that
    was stopped can go on. Without a seed, batches go from short sentences to long ones.
    """

    def __init__(
        self, encoded: Sequence[Encoded], batch_size: int, seed: int | None = None
    ) -> None:
        self.encoded, self.batch_size, self.seed = encoded, batch_size, seed
        self.shuffle(0)

    def shuffle(self, epoch: int) -> None:
        """The order of this epoch."""
        rng = None if self.seed is None else np.random.default_rng([self.seed, epoch])
        places = np.arange(len(self.encoded)) if rng is None else rng.permutation(len(self.encoded))
        order = sorted(places, key=lambda i: tuple(map(len, self.encoded[i])))  # ties stay
        groups = [order[i : i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        self.groups = groups if rng is None else [groups[i] for i in rng.permutation(len(groups))]

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        some = [self.encoded[place] for place in self.groups[i]]
        return padded([pair.source for pair in some]), padded([pair.target for pair in some])

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        return (self[i] for i in range(len(self)))


class PairTexts(NamedTuple):
    """Pairs to learn from, to choose the best epoch by, and to be judged on."""

    train: list[Pair]
    valid: list[Pair]
    test: list[Pair]


def hold_out(
    train: list[Pair], valid: list[Pair] | None, test: list[Pair] | None, seed: int = 0
) -> PairTexts:
    """Where there are no validation or test pairs, a tenth of the others each, at most 1,000.

    What is held out is drawn from the distinct pairs, and is never in the training pairs. Raises
    ValueError where too little is left to train on.
    """
    if valid is None or test is None:
        distinct = list(dict.fromkeys(train))
        drawn = [distinct[i] for i in np.random.default_rng(seed).permutation(len(distinct))]
        size = min(1000, len(drawn) // 10)
        parts = drawn[:size], drawn[size : 2 * size]
        valid = parts[0] if valid is None else valid
        test = parts[1] if test is None else test
        held = {*valid, *test}
        train = [pair for pair in train if pair not in held]
    if not (train and valid and test):
        raise ValueError(
            f"{len(train)} pairs to train on, {len(valid)} to validate and {len(test)} to test: "
            "each needs at least one; give at least 10 pairs"
        )
    return PairTexts(train, valid, test)
