"""From the text alone: have a word's two sides anything in common?

The rows of the matrix of bigrams say what follows a word, its columns what a word follows. One
matrix for both jobs of an embedding assumes that the two have to do with each other. Here they are
compared before any training, by the overlap of the leading spaces of rows and columns.
"""

from typing import NamedTuple

import numpy as np

K = 16


class Sides(NamedTuple):
    overlap: float  # ‖Uᵀ V‖² / k, of the k leading directions of rows and columns, in [0, 1]
    chance: float  # the same of two random spaces, k over the number of words
    k: int

    @property
    def beyond_chance(self) -> float:
        """(overlap − chance) / (1 − chance): 1 for one space, about 0 for unrelated ones."""
        return (self.overlap - self.chance) / (1 - self.chance)


def sides(ids: np.ndarray, k: int = K) -> Sides:
    """The overlap of the two spaces of a text's bigrams. ids (n,) of a vocabulary of any size.

    Only words that occur are counted. k is at most a quarter of their number. Raises ValueError on
    a text of fewer than eight different words.
    """
    words, ids = np.unique(ids, return_inverse=True)
    if len(words) < 8:
        raise ValueError(f"a text of {len(words)} different words is too poor; it takes eight")
    k = min(k, len(words) // 4)
    U, _, Vt = np.linalg.svd(ppmi(ids, len(words)))
    return Sides(float(np.sum((U[:, :k].T @ Vt[:k].T) ** 2) / k), k / len(words), k)


def ppmi(ids: np.ndarray, V: int) -> np.ndarray:
    """max(0, log P(i, j) / (P(i) P(j))) of each word i and the word j after it. (V, V)"""
    counts = np.zeros((V, V))
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    ratio = np.divide(counts, expected, out=np.ones_like(counts), where=counts > 0)
    return np.maximum(0, np.log(ratio))
