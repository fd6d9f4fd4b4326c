"""The simple recurrent cell, h_t = f(W e_t + U h_{t−1} + b): one step, then a whole sequence.

A mask m for dropout on the state enters as U (m ∘ h_{t−1}); without one, m is all ones.
"""

from typing import NamedTuple

import numpy as np

from tinytie.ops.activations import ACTIVATIONS
from tinytie.ops.linear import as_rows, linear_backward, linear_forward


class RNNStepCache(NamedTuple):
    e: np.ndarray
    h_prev: np.ndarray
    h: np.ndarray
    W: np.ndarray
    U: np.ndarray
    mask: np.ndarray | None
    activation: str


def rnn_step_forward(e, h_prev, W, U, b, mask=None, activation="tanh"):
    """h = f(W e + U (m ∘ h_prev) + b).

    e (B, D), h_prev (B, H), W (H, D), U (H, H), b (H,), mask (B, H) or None; returns h (B, H).
    """
    f, _ = ACTIVATIONS[activation]
    h = f(e @ W.T + masked(h_prev, mask) @ U.T + b)
    return h, RNNStepCache(e, h_prev, h, W, U, mask, activation)


def rnn_step_backward(dh, cache):
    """da = f′(a) ∘ dh, then each product of the forward in turn; a = W e + U (m ∘ h_prev) + b.

    dh (B, H); returns de (B, D), dh_prev (B, H), dW (H, D), dU (H, H), db (H,).
    """
    e, h_prev, h, W, U, mask, activation = cache
    da = ACTIVATIONS[activation].slope(h) * dh
    de = da @ W
    dh_prev = masked(da @ U, mask)
    dW = da.T @ e
    dU = da.T @ masked(h_prev, mask)
    db = da.sum(axis=0)
    return de, dh_prev, dW, dU, db


class RNNCache(NamedTuple):
    projected: NamedTuple  # the cache of the linear layer a = W e + b
    h_prev: np.ndarray  # (B, T, H), h_{t−1} at every t, masked
    h: np.ndarray  # (B, T, H)
    U: np.ndarray
    mask: np.ndarray | None
    activation: str


def rnn_forward(e, h0, W, U, b, mask=None, activation="tanh"):
    """h_t = f(W e_t + U (m_t ∘ h_{t−1}) + b) for t = 1 … T.

    e (B, T, D), h0 (B, H), W (H, D), U (H, H), b (H,), mask (B, T or 1, H) or None.
    Returns the outputs h (B, T, H) and the last state h_T (B, H).
    """
    f, _ = ACTIVATIONS[activation]
    a, projected = linear_forward(e, W, b)  # the input side of all steps, in one product
    h, h_prev, last = np.empty_like(a), np.empty_like(a), h0
    U_T = step_matrix(U)
    for t in range(e.shape[1]):
        h_prev[:, t] = masked(last, at_step(mask, t))
        h[:, t] = last = f(a[:, t] + h_prev[:, t] @ U_T)
    return (h, last), RNNCache(projected, h_prev, h, U, mask, activation)


def rnn_backward(d_out, cache):
    """Backpropagation through time: da_t = f′(a_t) ∘ (dh_t + Uᵀ da_{t+1}), from the last step back.

    d_out is (dh, dlast): dh (B, T, H) and dlast (B, H), or None where the last state is detached.
    Returns de (B, T, D), dh0 (B, H), dW (H, D), dU (H, H), db (H,).
    """
    dh, dh_next = d_out
    projected, h_prev, h, U, mask, activation = cache
    da = ACTIVATIONS[activation].slope(h)
    for t in reversed(range(h.shape[1])):
        dh_t = dh[:, t] if dh_next is None else dh[:, t] + dh_next  # h_t is used above and at t+1
        da[:, t] *= dh_t
        dh_next = masked(da[:, t] @ U, at_step(mask, t))
    de, dW, db = linear_backward(da, projected)  # W and b: summed over the steps that used them
    dU = as_rows(da).T @ as_rows(h_prev)  # U: likewise
    return de, dh_next, dW, dU, db


def masked(h, mask):
    """m ∘ h, or h itself where there is no mask."""
    return h if mask is None else h * mask


def step_matrix(U):
    """Uᵀ laid out row by row: as a view, its product with a few rows takes 1.6 times as long."""
    return np.ascontiguousarray(U.T)


def at_step(mask, t):
    """The mask of step t: its own, or the one mask that all steps share."""
    return None if mask is None else mask[:, min(t, mask.shape[1] - 1)]
