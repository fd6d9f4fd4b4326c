"""The gated recurrent unit: one step, then a whole sequence. Gates in the order r z n.

a = W e + b              (3H) the input side: a_r, a_z, a_n
u = U (m ∘ h_prev)       (3H) the state side: u_r, u_z, u_n;  m is a dropout mask, or all ones
r = σ(a_r + u_r)         how much of the state enters the new value
z = σ(a_z + u_z)         how much of the state is kept
n = tanh(a_n + r ∘ u_n)  the new value; r stands outside the product, as in Chung et al. 2014
h = (1 − z) ∘ n + z ∘ h_prev
"""

from typing import NamedTuple

import numpy as np

from tinytie.ops.activations import sigmoid
from tinytie.ops.linear import as_rows, linear_backward, linear_forward
from tinytie.ops.rnn import at_step, masked, step_matrix


class GRUGates(NamedTuple):
    r: np.ndarray
    z: np.ndarray
    n: np.ndarray
    u_n: np.ndarray


def gru_cell(a, u, h_prev):
    """The gates and the new state, from both sides. a, u (B, 3H), h_prev (B, H); h (B, H)."""
    (a_r, a_z, a_n), (u_r, u_z, u_n) = thirds(a), thirds(u)
    r = sigmoid(a_r + u_r)
    z = sigmoid(a_z + u_z)
    n = np.tanh(a_n + r * u_n)
    h = (1 - z) * n + z * h_prev
    return h, GRUGates(r, z, n, u_n)


def gru_cell_backward(dh, gates, h_prev):
    """Each line of the cell, from the last to the first.

    dz = dh ∘ (h_prev − n),  dn = dh ∘ (1 − z),  and z ∘ dh goes straight to h_prev
    da_n = (1 − n²) ∘ dn,    dr = da_n ∘ u_n,    du_n = da_n ∘ r
    da_z = z (1 − z) ∘ dz,   da_r = r (1 − r) ∘ dr
    Returns da (B, 3H), du (B, 3H), and the direct dh_prev (B, H).
    """
    r, z, n, u_n = gates
    da_n = (1 - n * n) * dh * (1 - z)
    da_z = z * (1 - z) * dh * (h_prev - n)
    da_r = r * (1 - r) * da_n * u_n
    da = np.concatenate([da_r, da_z, da_n], axis=-1)
    du = np.concatenate([da_r, da_z, da_n * r], axis=-1)
    return da, du, z * dh


class GRUStepCache(NamedTuple):
    e: np.ndarray
    h_prev: np.ndarray
    gates: GRUGates
    W: np.ndarray
    U: np.ndarray
    mask: np.ndarray | None


def gru_step_forward(e, h_prev, W, U, b, mask=None):
    """One step of the equations above.

    e (B, D), h_prev (B, H), W (3H, D), U (3H, H), b (3H,), mask (B, H) or None; returns h (B, H).
    """
    h, gates = gru_cell(e @ W.T + b, masked(h_prev, mask) @ U.T, h_prev)
    return h, GRUStepCache(e, h_prev, gates, W, U, mask)


def gru_step_backward(dh, cache):
    """Back through the cell, then through the two products.

    dh (B, H); returns de (B, D), dh_prev (B, H), dW (3H, D), dU (3H, H), db (3H,).
    """
    e, h_prev, gates, W, U, mask = cache
    da, du, dh_direct = gru_cell_backward(dh, gates, h_prev)
    de = da @ W
    dh_prev = dh_direct + masked(du @ U, mask)  # h_prev is used twice: kept by z, and inside U
    dW = da.T @ e
    dU = du.T @ masked(h_prev, mask)
    db = da.sum(axis=0)
    return de, dh_prev, dW, dU, db


class GRUCache(NamedTuple):
    projected: NamedTuple  # the cache of the linear layer a = W e + b
    h_prev: np.ndarray  # (B, T, H), h_{t−1} at every t
    gates: list[GRUGates]
    U: np.ndarray
    mask: np.ndarray | None


def gru_forward(e, h0, W, U, b, mask=None):
    """The step for t = 1 … T, with the input side of all steps in one product.

    e (B, T, D), h0 (B, H), W (3H, D), U (3H, H), b (3H,), mask (B, T or 1, H) or None.
    Returns the outputs h (B, T, H) and the last state h_T (B, H).
    """
    a, projected = linear_forward(e, W, b)
    h = np.empty((*e.shape[:2], U.shape[1]), a.dtype)
    h_prev, gates, last = np.empty_like(h), [], h0
    U_T = step_matrix(U)
    for t in range(e.shape[1]):
        h_prev[:, t] = last
        u = masked(last, at_step(mask, t)) @ U_T
        last, kept = gru_cell(a[:, t], u, last)
        h[:, t] = last
        gates.append(kept)
    return (h, last), GRUCache(projected, h_prev, gates, U, mask)


def gru_backward(d_out, cache):
    """Backpropagation through time: the backward of the step, from the last step to the first.

    d_out is (dh, dlast): dh (B, T, H) and dlast (B, H), or None where the last state is detached.
    Returns de (B, T, D), dh0 (B, H), dW (3H, D), dU (3H, H), db (3H,).
    """
    dh, dh_next = d_out
    projected, h_prev, gates, U, mask = cache
    da, du = np.empty((2, *dh.shape[:2], len(U)), dh.dtype)
    for t in reversed(range(dh.shape[1])):
        dh_t = dh[:, t] if dh_next is None else dh[:, t] + dh_next  # h_t is used above and at t+1
        da[:, t], du[:, t], dh_direct = gru_cell_backward(dh_t, gates[t], h_prev[:, t])
        dh_next = dh_direct + masked(du[:, t] @ U, at_step(mask, t))  # kept by z, and inside U
    de, dW, db = linear_backward(da, projected)  # W and b: summed over the steps that used them
    dU = as_rows(du).T @ as_rows(masked(h_prev, mask))  # U: likewise
    return de, dh_next, dW, dU, db


def thirds(a):
    """(B, 3H) -> three views (B, H)."""
    H = a.shape[-1] // 3
    return a[..., :H], a[..., H : 2 * H], a[..., 2 * H :]
