"""A recurrent layer, whatever its cell: the loop over time, both products, the masks, the sums.

    a_t = W e_t + b                       the input side
    u_t = U (m_t ∘ h_{t−1})               the state side; m_t is a dropout mask, or all ones
    state_t = cell(a_t, u_t, state_{t−1})

A cell is what remains: two elementwise functions of one step, in `cells.py`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytie.ops.linear import LinearCache, as_rows, linear_backward, linear_forward


class Cell(NamedTuple):
    """One step, entry by entry. a, u (B, G·H); every part of a state (B, H)."""

    gates: int  # G: rows of W, U and b in units of H
    forward: Callable  # (a, u, state) -> the new state, kept
    backward: Callable  # (dstate, kept) -> da, du, dstate; see `recurrence_backward`
    state: type[Any]  # a NamedTuple of its parts; the first is h


class RecurrenceCache(NamedTuple):
    projected: LinearCache  # of a = W e + b
    fed: np.ndarray  # (B, T, H), m_t ∘ h_{t−1} at every t: what U multiplies
    kept: list  # what the cell keeps of each step
    U: np.ndarray
    mask: np.ndarray | None


def recurrence_forward(cell, e, state, W, U, b, mask=None):
    """The equations above for t = 1 … T.

    e (B, T, D), state of the cell's kind with parts (B, H), W (G·H, D), U (G·H, H), b (G·H,),
    mask (B, T or 1, H) or None; without W or b (None), a_t is e_t + b or W e_t.
    Returns the outputs h (B, T, H) with the last state, and the cache.
    """
    a, projected = linear_forward(e, W, b)  # the input side of all steps, in one product
    h, fed = np.empty((2, *e.shape[:2], U.shape[1]), a.dtype)
    U_T = np.ascontiguousarray(U.T)  # as a view its product with few rows takes 1.6 times as long
    kept = []
    for t in range(e.shape[1]):
        fed[:, t] = masked(state[0], mask, t)
        state, kept_t = cell.forward(a[:, t], fed[:, t] @ U_T, state)
        h[:, t] = state[0]
        kept.append(kept_t)
    return (h, state), RecurrenceCache(projected, fed, kept, U, mask)


def recurrence_backward(cell, d_out, cache):
    """Backpropagation through time: the cell's backward, from the last step to the first.

    d_out is (dh, dlast): dh (B, T, H), and the gradient of the last state, or None where that is
    detached. The cell's backward returns, besides da and du, what reaches the state before it
    directly, not through u: its h is None where nothing does. A cell that only uses a + u returns
    one array as da and du. Returns de (B, T, D), dstate, dW (G·H, D), dU (G·H, H), db (G·H,).
    """
    dh, dlast = d_out
    projected, fed, kept, U, mask = cache
    dstate = dlast
    if dlast is None:
        dstate = cell.state(*[np.zeros_like(dh[:, 0])] * len(cell.state._fields))
    das, dus = [], []
    for t in reversed(range(dh.shape[1])):
        dstate = plus_h(dstate, dh[:, t])  # h_t is used above and at t+1
        da, du, dstate = cell.backward(dstate, kept[t])
        dstate = plus_h(dstate, masked(du @ U, mask, t))  # h_{t−1}: directly, and through U
        das.append(da)
        dus.append(du)
    da = np.stack(das[::-1], axis=1)
    du = da if dus[0] is das[0] else np.stack(dus[::-1], axis=1)
    de, dW, db = linear_backward(da, projected)  # W and b: summed over the steps that used them
    dU = as_rows(du).T @ as_rows(fed)  # U: likewise
    return de, dstate, dW, dU, db


def masked(h, mask, t):
    """m_t ∘ h: with the mask of step t, with the one that all steps share, or without one."""
    return h if mask is None else h * mask[:, min(t, mask.shape[1] - 1)]


def plus_h(state, dh):
    """A state's gradient with dh added to the part of h."""
    h, *others = state
    return type(state)(dh if h is None else h + dh, *others)
