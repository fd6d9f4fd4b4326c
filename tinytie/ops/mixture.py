"""A mixture of softmaxes: K states score the words, and their probabilities are mixed.

    p = Σ_k π_k softmax(E h_k + c),   π = softmax(a),   loss = −log p[y]

Yang et al. 2018. The logarithm of one softmax is a matrix of rank at most D + 1 over all contexts;
that of a mixture is not bound to be.
"""

from typing import NamedTuple

import numpy as np

from tinytie.ops.softmax import (
    log_softmax,
    scores_backward,
    scores_forward,
    softmax,
    target_weights,
)


class MixtureCache(NamedTuple):
    scored: NamedTuple
    prior: np.ndarray  # π, (..., K)
    posterior: np.ndarray  # r, (..., K)
    y_hats: np.ndarray  # each state's softmax, (..., K, V)
    y: np.ndarray
    weights: np.ndarray


def mixture_forward(h, a, E, c, y, counted=None):
    """loss = mean of −log Σ_k π_k ŷ_k[y] over the targets, in nats.

    h (..., K, D), a (..., K) the scores of the states, E (V, D), c (V,) or None, y (...) target
    ids, counted (...) bool or None.
    """
    s, scored = scores_forward(h, E, c)
    log_y_hats, log_prior = log_softmax(s), log_softmax(a)
    each = log_prior + np.take_along_axis(log_y_hats, y[..., None, None], axis=-1)[..., 0]
    losses = -log_sum(each)
    weights = target_weights(y, counted, h.dtype)
    cache = MixtureCache(scored, np.exp(log_prior), softmax(each), np.exp(log_y_hats), y, weights)
    return float(np.sum(weights * losses)), cache


def mixture_backward(dloss, cache):
    """With r_k = π_k ŷ_k[y] / p[y], state k's share of the target's probability:

    da = (π − r) / N,   ds_k = r_k (ŷ_k − onehot(y)) / N,   then back through the scores.

    dloss scalar; returns dh (..., K, D), da (..., K), dE (V, D), dc (V,) or None: every state uses
    the same E, so its gradients add.
    """
    scored, prior, r, y_hats, y, weights = cache
    weights = (dloss * weights)[..., None]
    onehot = np.arange(y_hats.shape[-1]) == y[..., None, None]
    ds = (weights * r)[..., None] * (y_hats - onehot)
    dh, dE, dc = scores_backward(ds, scored)
    return dh, weights * (prior - r), dE, dc


def mixture_log_probabilities(h, a, E, c):
    """log p, (..., V), of every word."""
    s, _ = scores_forward(h, E, c)
    return log_sum(np.moveaxis(log_softmax(a)[..., None] + log_softmax(s), -2, -1))


def log_sum(a):
    """log Σ exp(a) over the last axis, shifted so that it cannot overflow."""
    top = a.max(axis=-1, keepdims=True)
    return top[..., 0] + np.log(np.exp(a - top).sum(axis=-1))
