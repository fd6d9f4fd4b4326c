"""The cells of a recurrent layer: each a pair of elementwise functions of one step.

A cell is given the input side a = W e_t + b, the state side u = U h_{t−1}, and the state before.
A new one is an entry of CELLS, and every model, check and command knows it.
"""

from typing import Any, NamedTuple

import numpy as np

from tinytie.ops.activations import (
    relu_backward,
    relu_forward,
    sigmoid,
    tanh_backward,
    tanh_forward,
)
from tinytie.ops.recurrence import Cell


class State(NamedTuple):
    h: Any  # (B, H)


class LSTMState(NamedTuple):
    h: Any  # (B, H)
    c: Any  # (B, H)


def tanh_cell_forward(a, u, state):
    """h = tanh(a + u). a, u (B, H); returns State(h)."""
    h, kept = tanh_forward(a + u)
    return State(h), kept


def tanh_cell_backward(dstate, kept):
    """da = du = (1 − h²) ∘ dh, and State(None): the state before is used in u alone."""
    da = tanh_backward(dstate.h, kept)
    return da, da, State(None)


def relu_cell_forward(a, u, state):
    """h = max(a + u, 0). a, u (B, H); returns State(h)."""
    h, kept = relu_forward(a + u)
    return State(h), kept


def relu_cell_backward(dstate, kept):
    """da = du = dh where h > 0, and State(None): the state before is used in u alone."""
    da = relu_backward(dstate.h, kept)
    return da, da, State(None)


class GRUKept(NamedTuple):
    r: np.ndarray
    z: np.ndarray
    n: np.ndarray
    u_n: np.ndarray
    h_prev: np.ndarray


def gru_cell_forward(a, u, state):
    """The gated recurrent unit, gates in the order r z n. a, u (B, 3H); returns State(h).

    r = σ(a_r + u_r)         how much of the state enters the new value
    z = σ(a_z + u_z)         how much of the state is kept
    n = tanh(a_n + r ∘ u_n)  the new value; r stands outside the product, as in Chung et al. 2014
    h = (1 − z) ∘ n + z ∘ h_prev
    """
    (a_r, a_z, a_n), (u_r, u_z, u_n) = split(a, 3), split(u, 3)
    r = sigmoid(a_r + u_r)
    z = sigmoid(a_z + u_z)
    n = np.tanh(a_n + r * u_n)
    h = (1 - z) * n + z * state.h
    return State(h), GRUKept(r, z, n, u_n, state.h)


def gru_cell_backward(dstate, kept):
    """Each line of the cell, from the last to the first.

    dz = dh ∘ (h_prev − n),  dn = dh ∘ (1 − z),  and z ∘ dh goes straight to h_prev
    da_n = (1 − n²) ∘ dn,    dr = da_n ∘ u_n,    du_n = da_n ∘ r
    da_z = z (1 − z) ∘ dz,   da_r = r (1 − r) ∘ dr
    Returns da (B, 3H), du (B, 3H) and State(z ∘ dh).
    """
    (dh,), (r, z, n, u_n, h_prev) = dstate, kept
    da_n = (1 - n * n) * dh * (1 - z)
    da_z = z * (1 - z) * dh * (h_prev - n)
    da_r = r * (1 - r) * da_n * u_n
    da = np.concatenate([da_r, da_z, da_n], axis=-1)
    du = np.concatenate([da_r, da_z, da_n * r], axis=-1)
    return da, du, State(z * dh)


class LSTMKept(NamedTuple):
    i: np.ndarray
    f: np.ndarray
    g: np.ndarray
    o: np.ndarray
    c_prev: np.ndarray
    tanh_c: np.ndarray


def lstm_cell_forward(a, u, state):
    """The long short-term memory without peepholes, gates i f g o. a, u (B, 4H); LSTMState(h, c).

    i, f, o = σ of their parts of a + u,  g = tanh of its part
    c = f ∘ c_prev + i ∘ g   the memory
    h = o ∘ tanh(c)          what the layer shows
    """
    a_i, a_f, a_g, a_o = split(a + u, 4)
    i, f, g, o = sigmoid(a_i), sigmoid(a_f), np.tanh(a_g), sigmoid(a_o)
    c = f * state.c + i * g
    tanh_c = np.tanh(c)
    return LSTMState(o * tanh_c, c), LSTMKept(i, f, g, o, state.c, tanh_c)


def lstm_cell_backward(dstate, kept):
    """Each line of the cell, from the last to the first; c is used in h, and in the next c.

    h = o ∘ tanh(c):         do = dh ∘ tanh(c),  dc += dh ∘ o ∘ (1 − tanh²(c))
    c = f ∘ c_prev + i ∘ g:  di = dc ∘ g,  df = dc ∘ c_prev,  dg = dc ∘ i,  dc_prev = dc ∘ f
    Returns da (B, 4H), which is du too, and LSTMState(None, dc_prev): h_prev is used in u alone.
    """
    (dh, dc), (i, f, g, o, c_prev, tanh_c) = dstate, kept
    dc = dc + dh * o * (1 - tanh_c * tanh_c)
    da_i = i * (1 - i) * dc * g
    da_f = f * (1 - f) * dc * c_prev
    da_g = (1 - g * g) * dc * i
    da_o = o * (1 - o) * dh * tanh_c
    da = np.concatenate([da_i, da_f, da_g, da_o], axis=-1)
    return da, da, LSTMState(None, dc * f)


def split(a, gates):
    """(B, G·H) -> G views (B, H)."""
    H = a.shape[-1] // gates
    return [a[..., k * H : (k + 1) * H] for k in range(gates)]


CELLS = {
    "rnn": Cell(1, tanh_cell_forward, tanh_cell_backward, State),
    "gru": Cell(3, gru_cell_forward, gru_cell_backward, State),
    "lstm": Cell(4, lstm_cell_forward, lstm_cell_backward, LSTMState),
}
RELU = Cell(1, relu_cell_forward, relu_cell_backward, State)  # "rnn" with activation="relu"


def cell_of(name, activation="tanh"):
    """The cell of this name; "rnn" has two activations."""
    return RELU if (name, activation) == ("rnn", "relu") else CELLS[name]
