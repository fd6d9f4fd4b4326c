"""What the rows of an embedding mean: which lie near each other, and all of them on a plane."""

from typing import NamedTuple

import numpy as np


class Neighbour(NamedTuple):
    token: int
    cosine: float


def unit_rows(E: np.ndarray) -> np.ndarray:
    """Each row divided by its length, in float64; a row of zeros stays zero. (V, D) -> (V, D)."""
    E = E.astype(np.float64)
    lengths = np.linalg.norm(E, axis=1, keepdims=True)
    return E / np.where(lengths > 0, lengths, 1.0)


def neighbours(E: np.ndarray, token: int, count: int = 10) -> list[Neighbour]:
    """The `count` rows of E (V, D) with the largest cosine to row `token`, itself left out."""
    return nearest(E, E[token], [token], count)


def analogy(E: np.ndarray, a: int, b: int, c: int, count: int = 10) -> list[Neighbour]:
    """a is to b as c is to …: the rows nearest to b − a + c, each of length 1, but for the three.

    Source: Mikolov, Yih and Zweig 2013.
    """
    one, two, three = unit_rows(E[[a, b, c]])
    return nearest(E, two - one + three, [a, b, c], count)


def nearest(E, vector, left_out, count):
    """The rows of E with the largest cosine to a vector (D,)."""
    cosines = cosines_to(E, vector)
    rows = [int(i) for i in np.argsort(-cosines, kind="stable") if i not in left_out]
    return [Neighbour(i, float(cosines[i])) for i in rows[:count]]


def cosines_to(E: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The cosine of each row of E (V, D) and a vector (D,), in float64 but without such a copy."""
    vector = vector.astype(np.float64)
    dots = np.einsum("vd,d->v", E, vector, dtype=np.float64)
    squares = np.einsum("vd,vd->v", E, E, dtype=np.float64)
    lengths = np.sqrt(squares) * np.linalg.norm(vector)
    return dots / np.where(lengths > 0, lengths, 1.0)


def plane(rows: np.ndarray) -> np.ndarray:
    """The rows (n, D) on the plane in which they spread most: (n, 2) coordinates.

    Principal components: with the mean taken away, rows = U S Vᵀ, and the first two columns of
    U S are the coordinates. Each axis is turned so that its largest coordinate is positive.
    """
    centered = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    U, S, _ = np.linalg.svd(centered, full_matrices=False)
    coordinates = np.zeros((len(rows), 2))
    coordinates[:, : len(S)] = (U * S)[:, :2]
    largest = np.abs(coordinates).argmax(axis=0)
    return coordinates * np.where(coordinates[largest, [0, 1]] < 0, -1.0, 1.0)
