"""The long short-term memory, without peepholes: one step, then a whole sequence. Gates i f g o.

a = W e + U (m ∘ h_prev) + b     (4H) a_i, a_f, a_g, a_o;  m is a dropout mask, or all ones
i, f, o = σ(a_i), σ(a_f), σ(a_o)
g = tanh(a_g)
c = f ∘ c_prev + i ∘ g           the memory
h = o ∘ tanh(c)                  what the layer shows
"""

from typing import NamedTuple

import numpy as np

from tinytie.ops.activations import sigmoid
from tinytie.ops.linear import as_rows, linear_backward, linear_forward
from tinytie.ops.rnn import at_step, masked, step_matrix


class LSTMState(NamedTuple):
    h: np.ndarray  # (B, H)
    c: np.ndarray  # (B, H)


class LSTMGates(NamedTuple):
    i: np.ndarray
    f: np.ndarray
    g: np.ndarray
    o: np.ndarray
    tanh_c: np.ndarray


def lstm_cell(a, c_prev):
    """The gates and the new state. a (B, 4H), c_prev (B, H); h and c (B, H)."""
    a_i, a_f, a_g, a_o = quarters(a)
    i, f, g, o = sigmoid(a_i), sigmoid(a_f), np.tanh(a_g), sigmoid(a_o)
    c = f * c_prev + i * g
    tanh_c = np.tanh(c)
    return LSTMState(o * tanh_c, c), LSTMGates(i, f, g, o, tanh_c)


def lstm_cell_backward(dh, dc, gates, c_prev):
    """Each line of the cell, from the last to the first; dc is what came back to c from later.

    h = o ∘ tanh(c):         do = dh ∘ tanh(c),  dc += dh ∘ o ∘ (1 − tanh²(c))
    c = f ∘ c_prev + i ∘ g:  di = dc ∘ g,  df = dc ∘ c_prev,  dg = dc ∘ i,  dc_prev = dc ∘ f
    Returns da (B, 4H) and dc_prev (B, H).
    """
    i, f, g, o, tanh_c = gates
    dc = dc + dh * o * (1 - tanh_c * tanh_c)  # c is used in h, and in the next c
    da_i = i * (1 - i) * dc * g
    da_f = f * (1 - f) * dc * c_prev
    da_g = (1 - g * g) * dc * i
    da_o = o * (1 - o) * dh * tanh_c
    return np.concatenate([da_i, da_f, da_g, da_o], axis=-1), dc * f


class LSTMStepCache(NamedTuple):
    e: np.ndarray
    state: LSTMState
    gates: LSTMGates
    W: np.ndarray
    U: np.ndarray
    mask: np.ndarray | None


def lstm_step_forward(e, state, W, U, b, mask=None):
    """One step of the equations above.

    e (B, D), state = (h_prev, c_prev) each (B, H), W (4H, D), U (4H, H), b (4H,),
    mask (B, H) or None; returns the new LSTMState.
    """
    h_prev, c_prev = state
    new, gates = lstm_cell(e @ W.T + masked(h_prev, mask) @ U.T + b, c_prev)
    return new, LSTMStepCache(e, LSTMState(h_prev, c_prev), gates, W, U, mask)


def lstm_step_backward(d_state, cache):
    """Back through the cell, then through the two products.

    d_state = (dh, dc) each (B, H); returns de (B, D), LSTMState(dh_prev, dc_prev), dW (4H, D),
    dU (4H, H), db (4H,).
    """
    e, (h_prev, c_prev), gates, W, U, mask = cache
    dh, dc = d_state
    da, dc_prev = lstm_cell_backward(dh, dc, gates, c_prev)
    de = da @ W
    dh_prev = masked(da @ U, mask)
    dW = da.T @ e
    dU = da.T @ masked(h_prev, mask)
    db = da.sum(axis=0)
    return de, LSTMState(dh_prev, dc_prev), dW, dU, db


class LSTMCache(NamedTuple):
    projected: NamedTuple  # the cache of the linear layer a = W e + b
    h_prev: np.ndarray  # (B, T, H), h_{t−1} at every t, masked
    c_prev: np.ndarray  # (B, T, H), c_{t−1} at every t
    gates: list[LSTMGates]
    U: np.ndarray
    mask: np.ndarray | None


def lstm_forward(e, state, W, U, b, mask=None):
    """The step for t = 1 … T, with the input side of all steps in one product.

    e (B, T, D), state = (h0, c0) each (B, H), W (4H, D), U (4H, H), b (4H,),
    mask (B, T or 1, H) or None. Returns the outputs h (B, T, H) and the last LSTMState.
    """
    a, projected = linear_forward(e, W, b)
    h, h_prev, c_prev = np.empty((3, *e.shape[:2], U.shape[1]), a.dtype)
    gates, last = [], LSTMState(*state)
    U_T = step_matrix(U)
    for t in range(e.shape[1]):
        h_prev[:, t] = masked(last.h, at_step(mask, t))
        c_prev[:, t] = last.c
        last, kept = lstm_cell(a[:, t] + h_prev[:, t] @ U_T, last.c)
        h[:, t] = last.h
        gates.append(kept)
    return (h, last), LSTMCache(projected, h_prev, c_prev, gates, U, mask)


def lstm_backward(d_out, cache):
    """Backpropagation through time: the backward of the step, from the last step to the first.

    d_out is (dh, dlast): dh (B, T, H) and dlast an LSTMState, or None where it is detached.
    Returns de (B, T, D), LSTMState(dh0, dc0), dW (4H, D), dU (4H, H), db (4H,).
    """
    dh, dlast = d_out
    projected, h_prev, c_prev, gates, U, mask = cache
    da = np.empty((*dh.shape[:2], len(U)), dh.dtype)
    dh_next, dc_next = np.zeros((2, *dh[:, 0].shape), dh.dtype) if dlast is None else dlast
    for t in reversed(range(dh.shape[1])):
        dh_t = dh[:, t] + dh_next  # h_t is used by the layer above and by step t+1
        da[:, t], dc_next = lstm_cell_backward(dh_t, dc_next, gates[t], c_prev[:, t])
        dh_next = masked(da[:, t] @ U, at_step(mask, t))
    de, dW, db = linear_backward(da, projected)  # W and b: summed over the steps that used them
    dU = as_rows(da).T @ as_rows(h_prev)  # U: likewise
    return de, LSTMState(dh_next, dc_next), dW, dU, db


def quarters(a):
    """(B, 4H) -> four views (B, H)."""
    H = a.shape[-1] // 4
    return a[..., :H], a[..., H : 2 * H], a[..., 2 * H : 3 * H], a[..., 3 * H :]
