"""A loss that forgives a near miss: cross-entropy, and a divergence from soft targets.

J = CE + α KL(ỹ ‖ ŷ_τ),  ŷ_τ = softmax(E h / τ),  ỹ = softmax(L u / τ),  u = L[y]

ỹ gives each word a share by how near its row of L lies to the target's row; it is held constant.
α = γ τ. Inan, Khosravi and Socher 2017, section 3.
"""

from typing import NamedTuple

import numpy as np

from tinytie.ops.head import chunks_of, scores, scores_to_gradient, through_scores
from tinytie.ops.linear import as_rows
from tinytie.ops.softmax import log_softmax, target_weights

ROWS = 64  # of scores at work at a time, besides the gradient that is kept


def divergences(s, s_tilde):
    """Each row's KL(ỹ ‖ ŷ) = Σ ỹ (log ỹ − log ŷ), and ŷ − ỹ, its derivative by s. (n, V) each."""
    log_y_hat, log_y_tilde = log_softmax(s), log_softmax(s_tilde)
    y_tilde = np.exp(log_y_tilde)
    kl = ((log_y_tilde - log_y_hat) * y_tilde).sum(axis=-1)
    return kl, np.exp(log_y_hat) - y_tilde


class DivergenceCache(NamedTuple):
    ds: np.ndarray  # the gradient of the mean divergence with respect to the scores


def divergence_forward(s, s_tilde, tau=1.0, counted=None):
    """Mean of KL(softmax(s̃/τ) ‖ softmax(s/τ)) in nats: s̃ (..., V) says what s (..., V) should.

    s̃ and tau are constants; counted (...) bool: False where a row is left out.
    """
    rows = as_rows(s)
    weights = target_weights(s[..., 0], counted, s.dtype).ravel()
    kl, ds = divergences(rows / tau, as_rows(s_tilde) / tau)
    ds *= weights[:, None] / tau
    return float(kl @ weights), DivergenceCache(ds.reshape(s.shape))


def divergence_backward(dloss, cache):
    """ds = dloss · (ŷ_τ − ỹ) / (τ N): the scores were divided by τ once, and so is their gradient.

    For large τ, up to a mean over the V entries, that is (s − s̃) / (τ² V N).
    """
    return dloss * cache.ds


class AugmentedLossCache(NamedTuple):
    h: np.ndarray
    E: np.ndarray
    c: np.ndarray | None
    y: np.ndarray
    L: np.ndarray
    weights: np.ndarray
    mix: tuple  # alpha, tau, beta
    ds: np.ndarray | None  # (N, V), the scores' gradient; None where it is made again in chunks
    dc: np.ndarray  # (V,), of the cross-entropy alone
    chunk: int | None


def augmented_loss_forward(
    h, E, c, y, L, alpha, tau, beta=1.0, counted=None, chunk=None, memory=None
):
    """J = β CE + α KL(ỹ ‖ ŷ_τ), the mean over the targets in nats. The bias is in CE alone.

    h (..., D), E (V, D), c (V,) or None, y (...) target ids. Constants: L (V, any width), alpha,
    tau, beta, counted (...) bool or None. chunk as in `head_forward`.
    """
    rows, targets = as_rows(h), y.ravel()
    weights = target_weights(y, counted, h.dtype).ravel()
    mix = alpha, tau, beta
    kept = None
    if chunk is None:
        kept = np.empty((len(rows), len(E)), h.dtype) if memory is None else memory
    dc, loss = np.zeros(len(E), h.dtype), 0.0
    for some in chunks_of(len(rows), chunk or ROWS):
        part, ds, dc_some = augmented_rows(rows[some], E, c, targets[some], L, weights[some], mix)
        loss += part
        dc += dc_some
        if kept is not None:
            kept[some] = ds
    return loss, AugmentedLossCache(h, E, c, y, L, weights, mix, kept, dc, chunk)


def augmented_rows(h, E, c, y, L, weights, mix):
    """J over some rows, the gradient of their scores E h, and that of c. h (n, D)."""
    alpha, tau, beta = mix
    s = scores(h, E, None)
    s_tilde = scores(L[y], L, None)
    kl, dkl = divergences(s / tau, s_tilde / tau)
    if c is not None:
        s += c
    ce = scores_to_gradient(s, y, beta * weights)
    dc = np.ones(len(s), s.dtype) @ s
    s += (alpha / tau * weights)[:, None] * dkl
    return float((beta * ce + alpha * kl) @ weights), s, dc


def augmented_loss_backward(dloss, cache):
    """ds = (β (ŷ − onehot(y)) + α (ŷ_τ − ỹ) / τ) / N, then back through the scores E h.

    dloss scalar; returns dh (..., D), dE (V, D), dc (V,) or None.
    """
    h, E, c, y, L, weights, mix, ds, dc, chunk = cache
    rows, targets = as_rows(h), y.ravel()
    if ds is not None:
        dh, dE, _ = through_scores(dloss, ds, rows, E)
    else:
        dh, dE = np.empty_like(rows), np.zeros_like(E)
        for some in chunks_of(len(rows), chunk):
            some_rows = rows[some], E, c, targets[some], L, weights[some]
            _, ds, _ = augmented_rows(*some_rows, mix)
            dh[some], dE_some, _ = through_scores(dloss, ds, rows[some], E)
            dE += dE_some  # every chunk uses the same E, so its gradients add
    return dh.reshape(h.shape), dE, None if c is None else dloss * dc
