"""The low-rank view: V words, but only d directions to tell them apart.

E Eᵀ holds the dot product of every word with every word, V × V numbers of rank at most d. Where
the path from lookup to scores is linear, h = A e, the scores of all words after all words are
S = E_in Aᵀ E_outᵀ, again V × V and again of rank at most d. Neither matrix is ever made here: their
singular values are those of a product of matrices no larger than d × d.
"""

from typing import NamedTuple

import numpy as np


class Spectrum(NamedTuple):
    """Singular values, the largest first, of a V × V matrix; all that are left out are 0."""

    values: np.ndarray  # (at most d,)
    size: int  # V
    rank: int  # how many of them are larger than rounding


def similarity_spectrum(E: np.ndarray) -> Spectrum:
    """The eigenvalues of E Eᵀ: the squares of the singular values of E (V, d)."""
    sigma = np.linalg.svd(as_float64("E", E), compute_uv=False)
    return Spectrum(sigma**2, len(E), numerical_rank(sigma, E))


def linear_scores_spectrum(
    E_in: np.ndarray, E_out: np.ndarray, A: np.ndarray | None = None
) -> Spectrum:
    """The singular values of S = E_in Aᵀ E_outᵀ, the scores of a linear path h = A e.

    E_in (V, D), A (H, D) or None for the identity, E_out (V, H); tied: pass E twice. With
    E_in = Q_in R_in and E_out = Q_out R_out, they are those of R_in Aᵀ R_outᵀ, because Q_in and
    Q_out keep every length.
    """
    E_in, E_out = as_float64("E_in", E_in), as_float64("E_out", E_out)
    A = np.eye(E_in.shape[1]) if A is None else as_float64("A", A)
    if A.shape != (E_out.shape[1], E_in.shape[1]):
        raise ValueError(
            f"A must map the width of E_in {E_in.shape} to that of E_out {E_out.shape}, so its "
            f"shape must be {(E_out.shape[1], E_in.shape[1])}, got {A.shape}"
        )
    R_in, R_out = np.linalg.qr(E_in).R, np.linalg.qr(E_out).R
    values = np.linalg.svd(R_in @ A.T @ R_out.T, compute_uv=False)
    return Spectrum(values, len(E_in), numerical_rank(values, E_in))


def scores_rank(scores: np.ndarray) -> int:
    """The rank of scores (..., V) as a matrix with a row for each context.

    Whatever the network below, the scores E o_t + c of a model have rank at most d, and at most
    d + 1 with a bias: the softmax bottleneck (Yang et al. 2018).
    """
    rows = as_float64("scores", np.reshape(scores, (-1, np.shape(scores)[-1])))
    return numerical_rank(np.linalg.svd(rows, compute_uv=False), rows)


def numerical_rank(values, matrix):
    """How many singular values exceed the largest one's rounding, as `np.linalg.matrix_rank`."""
    largest = values.max(initial=0.0)
    return int(np.count_nonzero(values > largest * max(matrix.shape) * np.finfo(np.float64).eps))


def as_float64(name, matrix):
    matrix = np.asarray(matrix, np.float64)
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise ValueError(f"{name} must be a matrix of finite numbers, got shape {matrix.shape}")
    return matrix
