"""Scores s = E h + c, ŷ = softmax(s), and the loss −log ŷ[y], averaged over the targets in nats.

Three pairs: the scores alone, the cross-entropy of given scores, and both in one operation. The
last one is what a model trains with: it keeps a single N × V array, the gradient of the scores.
"""

from typing import NamedTuple

import numpy as np

from tinytie.ops.linear import as_rows, linear_backward, linear_forward

CACHED = 2**21  # scores to pass over at a time, in the cache: 1.3 times as fast at V = 50,000


def scores_forward(h, E, c=None, out=None):
    """s = E h + c: entry i is the dot product of h with row i of E. h (..., D); s (..., V).

    out (N, V): memory for s, or None.
    """
    return linear_forward(h, E, c, out)


def scores_backward(ds, cache):
    """dh = Eᵀ ds,  dE = Σ ds hᵀ,  dc = Σ ds: every row of E is in every score, so every row moves.

    ds (..., V); returns dh (..., D), dE (V, D), dc (V,) or None.
    """
    return linear_backward(ds, cache)


def softmax(s):
    """ŷ = exp(s − max s) / Σ exp(s − max s) over the last axis; the shift only avoids overflow."""
    exp = np.exp(s - s.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)


class CrossEntropyCache(NamedTuple):
    ds: np.ndarray  # the gradient of the mean loss with respect to the scores


def cross_entropy_forward(s, y, counted=None):
    """loss = mean of −log softmax(s)[y] over the targets, in nats.

    s (..., V) scores, y (...) target ids, counted (...) bool: False where a target is padding.
    """
    ds = as_rows(s).copy()
    weights = target_weights(y, counted, s.dtype)
    losses = scores_to_gradient(ds, y.ravel(), weights)
    return float(losses @ weights), CrossEntropyCache(ds.reshape(s.shape))


def cross_entropy_backward(dloss, cache):
    """ds = dloss · (ŷ − onehot(y)) / N; each row sums to zero."""
    return dloss * cache.ds


def target_weights(y, counted, dtype):
    """What each target weighs in the mean: 1/N, or 0 where it is not counted. (N,)"""
    if counted is None:
        return np.full(y.size, 1 / y.size, dtype)
    return (counted.ravel() / np.count_nonzero(counted)).astype(dtype)


def exponentials(s, y):
    """In place, s (n, V) becomes exp(s − max s). Returns its row sums and each −log ŷ[y]. (n,)"""
    s -= s.max(axis=1, keepdims=True)
    target = s[np.arange(len(y)), y]
    np.exp(s, out=s)
    totals = s @ np.ones(s.shape[1], s.dtype)  # 5 times as fast as s.sum(axis=1)
    return totals, np.log(totals) - target


def scores_to_gradient(s, y, weights):
    """In place, s (n, V) becomes weight · (ŷ − onehot(y)). Returns each row's loss. (n,)"""
    totals, losses = exponentials(s, y)
    s *= (weights / totals)[:, None]
    s[np.arange(len(y)), y] -= weights
    return losses


class SoftmaxLossCache(NamedTuple):
    h: np.ndarray
    E: np.ndarray
    c: np.ndarray | None
    y: np.ndarray
    weights: np.ndarray
    ds: np.ndarray | None  # (N, V), the scores' gradient; None where it is made again in chunks
    chunk: int | None


def softmax_loss_forward(h, E, c, y, counted=None, chunk=None, out=None):
    """loss = mean of −log softmax(E h + c)[y] over the targets, in nats.

    h (..., D), E (V, D), c (V,) or None, y (...) target ids, counted (...) bool or None.
    chunk None keeps the scores' gradient, (N, V). A number of rows holds only that many rows of
    scores at a time and keeps none: the backward pass then makes them again, a fourth product.
    out (N, V): memory for the scores' gradient, or None.
    """
    rows, targets = as_rows(h), y.ravel()
    weights = target_weights(y, counted, h.dtype)
    losses = np.empty(len(rows), h.dtype)
    if chunk is None:
        ds, _ = scores_forward(rows, E, c, out)
        for some in chunks_of(len(rows), max(1, CACHED // len(E))):
            losses[some] = scores_to_gradient(ds[some], targets[some], weights[some])
    else:
        ds = None
        for some in chunks_of(len(rows), chunk):
            s, _ = scores_forward(rows[some], E, c)
            _, losses[some] = exponentials(s, targets[some])
            del s  # or it would still be there while the next rows are made
    return float(losses @ weights), SoftmaxLossCache(h, E, c, y, weights, ds, chunk)


def softmax_loss_backward(dloss, cache):
    """ds = (ŷ − onehot(y)) / N, then back through the scores: dh, dE and dc.

    dloss scalar; returns dh (..., D), dE (V, D), dc (V,) or None. dE is dense: no row is zero.
    """
    h, E, c, y, weights, ds, chunk = cache
    rows, targets = as_rows(h), y.ravel()
    if ds is not None:
        dh, dE, dc = through_scores(dloss, ds, rows, E)
    else:
        dh, dE, dc = np.empty_like(rows), np.zeros_like(E), np.zeros(len(E), E.dtype)
        for some in chunks_of(len(rows), chunk):
            ds, _ = scores_forward(rows[some], E, c)
            scores_to_gradient(ds, targets[some], weights[some])
            dh[some], dE_some, dc_some = through_scores(dloss, ds, rows[some], E)
            dE += dE_some  # every chunk uses the same E and c, so their gradients add
            dc += dc_some
            del ds
    return dh.reshape(h.shape), dE, None if c is None else dc


def through_scores(dloss, ds, h, E):
    """dh = Eᵀ ds,  dE = Σ ds hᵀ,  dc = Σ ds, times dloss. ds (n, V), h (n, D)."""
    return dloss * (ds @ E), ds.T @ (dloss * h), dloss * (np.ones(len(ds), ds.dtype) @ ds)


def chunks_of(n, size):
    """Slices of at most `size` rows that cover n rows."""
    return [slice(i, i + size) for i in range(0, n, size)]
