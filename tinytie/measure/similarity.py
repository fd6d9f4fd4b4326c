"""Does an embedding find similar what people find similar? And do two embeddings agree?"""

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tinytie.measure.neighbours import unit_rows
from tinytie.text.files import read_text


class Pair(NamedTuple):
    first: str
    second: str
    score: float  # how similar people found the two words, on any scale


class PairSet(NamedTuple):
    name: str
    pairs: list[Pair]


class Agreement(NamedTuple):
    rho: float  # Spearman's correlation between scores and cosines; nan where it is not defined
    covered: int  # pairs of which both words have a row
    total: int


def ranks(values: np.ndarray) -> np.ndarray:
    """1 for the smallest … n for the largest; equal values share the mean of their ranks. (n,)"""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[which]


def pearson(a: np.ndarray, b: np.ndarray) -> float:
    """Σ (a − ā)(b − b̄) / √(Σ (a − ā)² Σ (b − b̄)²); nan for fewer than two values or equal ones."""
    if len(a) < 2:
        return math.nan
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt((a @ a) * (b @ b))
    return float(a @ b) / scale if scale > 0 else math.nan


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's rank correlation: Pearson's of the ranks, in [−1, 1], or nan as there."""
    return pearson(ranks(np.asarray(a)), ranks(np.asarray(b)))


def read_pairs(path: str | os.PathLike) -> PairSet:
    """A file of lines `word1 word2 score`, set apart by tabs or blanks; # starts a remark line.

    Raises ValueError, with the number of the line, where a line is something else.
    """
    lines = enumerate(read_text(path).split("\n"), start=1)
    written = [(n, line) for n, line in lines if line.strip() and not line.startswith("#")]
    if not written:
        raise ValueError(f"{str(path)!r} holds no line of two words and a score")
    pairs = [pair_of(line, f"{str(path)!r}, line {n}") for n, line in written]
    return PairSet(Path(path).stem, pairs)


def pair_of(line, place):
    """One line as a Pair."""
    parts = line.split(maxsplit=3)  # a fourth part is one too many, however long
    try:
        first, second, number = parts
        score = float(number)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        shown = line if len(line) <= 60 else line[:60] + "…"
        raise ValueError(f"{place}: expected two words and a number, got {shown!r}")
    return Pair(first, second, score)


def row_of(word: str, ids: Mapping[str, int]) -> int:
    """The row of a word as it is written, else of its lower-case form, else −1."""
    return ids.get(word, ids.get(word.lower(), -1))


def agreement(E: np.ndarray, ids: Mapping[str, int], pairs: list[Pair]) -> Agreement:
    """Spearman's correlation between the pairs' scores and the cosines of their rows of E (V, D).

    ids gives each word its row. Pairs with a word that has none are left out, and counted.
    """
    rows = np.array([(row_of(pair.first, ids), row_of(pair.second, ids)) for pair in pairs])
    scores = np.array([pair.score for pair in pairs])
    known = (rows >= 0).all(axis=1)
    first, second = (unit_rows(E[ends]) for ends in rows[known].T)  # (n, D) each
    cosines = (first * second).sum(axis=-1)
    return Agreement(spearman(scores[known], cosines), int(known.sum()), len(pairs))


def pairwise_cosines(rows: np.ndarray) -> np.ndarray:
    """The cosine of every two different rows. (n, D) -> (n (n − 1) / 2,)"""
    directions = unit_rows(rows)
    return (directions @ directions.T)[np.triu_indices(len(rows), k=1)]


def distance_correlation(A: np.ndarray, B: np.ndarray) -> float:
    """Do A and B place the same words near each other? Spearman's correlation of their cosines.

    A (n, any width) and B (n, any width) hold one row for each of the same n words; every two
    words are one value. Raises ValueError where A and B differ in the number of rows.
    """
    if len(A) != len(B):
        raise ValueError(
            f"the two embeddings must have rows for the same words: {len(A)}, {len(B)}"
        )
    return spearman(pairwise_cosines(A), pairwise_cosines(B))
