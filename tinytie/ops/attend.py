"""A decoder that reads an encoder: dot-product attention, after Luong, Pham and Manning 2015.

s_tj = d_t · h_j                  a score for each decoder step t and encoder state h_j
α_t = softmax over the valid j    the weights; padding takes none
k_t = Σ_j α_tj h_j                the context: what step t reads
o_t = tanh(A [d_t; k_t] + a)      the decoder's own state and the context, combined

Two pairs, one for the context and one for the combination, and a third for the encoder's state
after its last valid step. B batch, T decoder steps, S encoder steps, H hidden width.
"""

from typing import NamedTuple

import numpy as np

from tinytie.ops.activations import TanhCache, tanh_backward, tanh_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import softmax


class AttendCache(NamedTuple):
    d: np.ndarray  # (B, T, H)
    h: np.ndarray  # (B, S, H)
    weights: np.ndarray  # (B, T, S), α; each row sums to one


def attend_forward(d, h, valid):
    """k_t = Σ_j α_tj h_j with α_t = softmax of d_t · h_j over the valid j.

    d (B, T, H) decoder states, h (B, S, H) encoder states, valid (B, S) bool, at least one true a
    row. The mask comes before the softmax, as scores of −∞: masked afterwards, the weights of a
    padded sentence would not sum to one. Returns k (B, T, H).
    """
    s = d @ h.swapaxes(1, 2)
    weights = softmax(np.where(valid[:, None], s, -np.inf))
    return weights @ h, AttendCache(d, h, weights)


def attend_backward(dk, cache):
    """dα_tj = dk_t · h_j,  ds_tj = α_tj (dα_tj − Σ_i α_ti dα_ti),  dd_t = Σ_j ds_tj h_j.

    h_j is a value (in k) and a key (in s), at every decoder step: dh_j sums both, over all t.
    dk (B, T, H); returns dd (B, T, H) and dh (B, S, H), zero where the source is padding.
    """
    d, h, weights = cache
    dweights = dk @ h.swapaxes(1, 2)
    ds = weights * (dweights - (weights * dweights).sum(axis=-1, keepdims=True))
    dd = ds @ h
    dh = weights.swapaxes(1, 2) @ dk + ds.swapaxes(1, 2) @ d  # as a value, and as a key
    return dd, dh


class CombineCache(NamedTuple):
    activated: TanhCache
    joined: NamedTuple  # the cache of the linear layer over [d; k]


def combine_forward(d, k, A, a):
    """o = tanh(A [d; k] + a). d, k (B, T, H), A (H, 2H), a (H,); returns o (B, T, H)."""
    s, joined = linear_forward(np.concatenate([d, k], axis=-1), A, a)
    o, activated = tanh_forward(s)
    return o, CombineCache(activated, joined)


def combine_backward(do, cache):
    """ds = (1 − o²) ∘ do, then back through the product; its input's gradient falls in two halves.

    do (B, T, H); returns dd, dk (B, T, H), dA (H, 2H), da (H,).
    """
    ds = tanh_backward(do, cache.activated)
    dboth, dA, da = linear_backward(ds, cache.joined)
    dd, dk = np.split(dboth, 2, axis=-1)
    return dd, dk, dA, da


class LastValidCache(NamedTuple):
    last: np.ndarray  # (B,) the place of the last valid step of each row
    steps: int


def last_valid_forward(h, valid):
    """h at the last valid step of each row: what a recurrence knew before it ran into padding.

    h (B, S, H), valid (B, S) bool, at least one true a row; returns (B, H).
    """
    last = valid.shape[1] - 1 - valid[:, ::-1].argmax(axis=1)
    return h[np.arange(len(h)), last], LastValidCache(last, h.shape[1])


def last_valid_backward(dlast, cache):
    """The gradient goes to the one place of each row that was read; every other is zero.

    dlast (B, H); returns dh (B, S, H).
    """
    dh = np.zeros((len(dlast), cache.steps, dlast.shape[-1]), dlast.dtype)
    dh[np.arange(len(dlast)), cache.last] = dlast
    return dh
