"""Scores s = E h + c, ŷ = softmax(s), and the loss −log ŷ[y], averaged over the targets in nats.

Three textbook pairs: the scores, the cross-entropy of given scores, and one after the other. What
models train with is `head.py`: the same numbers with a single N × V array.
"""

from typing import NamedTuple

import numpy as np

from tinytie.ops.linear import linear_backward, linear_forward


def scores_forward(h, E, c=None):
    """s = E h + c: entry i is the dot product of h with row i of E. h (..., D); s (..., V)."""
    return linear_forward(h, E, c)


def scores_backward(ds, cache):
    """dh = Eᵀ ds,  dE = Σ ds hᵀ,  dc = Σ ds: every row of E is in every score, so every row moves.

    ds (..., V); returns dh (..., D), dE (V, D), dc (V,) or None.
    """
    return linear_backward(ds, cache)


def softmax(s):
    """ŷ = exp(s − max s) / Σ exp(s − max s) over the last axis; the shift only avoids overflow."""
    exp = np.exp(s - s.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)


def log_softmax(s):
    """log ŷ = s − max s − log Σ exp(s − max s) over the last axis."""
    s = s - s.max(axis=-1, keepdims=True)
    return s - np.log(np.exp(s).sum(axis=-1, keepdims=True))


class CrossEntropyCache(NamedTuple):
    y_hat: np.ndarray  # (..., V)
    y: np.ndarray
    weights: np.ndarray  # (...), what each target weighs in the mean


def cross_entropy_forward(s, y, counted=None):
    """loss = mean of −log softmax(s)[y] over the targets, in nats.

    s (..., V) scores, y (...) target ids, counted (...) bool: False where a target is padding.
    """
    log_y_hat = log_softmax(s)
    losses = -np.take_along_axis(log_y_hat, y[..., None], axis=-1)[..., 0]
    weights = target_weights(y, counted, s.dtype)
    return float(np.sum(weights * losses)), CrossEntropyCache(np.exp(log_y_hat), y, weights)


def cross_entropy_backward(dloss, cache):
    """ds = dloss · (ŷ − onehot(y)) / N; each row sums to zero. Returns ds (..., V)."""
    y_hat, y, weights = cache
    onehot = np.arange(y_hat.shape[-1]) == y[..., None]
    return dloss * weights[..., None] * (y_hat - onehot)


def target_weights(y, counted, dtype):
    """What each target weighs in the mean: 1/N, or 0 where it is not counted. Like y."""
    if counted is None:
        return np.full(y.shape, 1 / y.size, dtype)
    return (counted / np.count_nonzero(counted)).astype(dtype)


class SoftmaxLossCache(NamedTuple):
    scored: NamedTuple
    compared: CrossEntropyCache


def softmax_loss_forward(h, E, c, y, counted=None):
    """loss = mean of −log softmax(E h + c)[y] over the targets, in nats.

    h (..., D), E (V, D), c (V,) or None, y (...) target ids, counted (...) bool or None.
    """
    s, scored = scores_forward(h, E, c)
    loss, compared = cross_entropy_forward(s, y, counted)
    return loss, SoftmaxLossCache(scored, compared)


def softmax_loss_backward(dloss, cache):
    """ds = (ŷ − onehot(y)) / N, then back through the scores: dh, dE and dc.

    dloss scalar; returns dh (..., D), dE (V, D), dc (V,) or None. dE is dense: no row is zero.
    """
    ds = cross_entropy_backward(dloss, cache.compared)
    return scores_backward(ds, cache.scored)
