"""Every function of a tied language model in plain NumPy, as the exercises ask for it.

Whoever has skipped an exercise goes on with the one from here.
"""

import numpy as np


def lookup(x, E):
    """The rows of E at the ids x: (B, T) and (V, D) -> (B, T, D)."""
    return E[x]


def lookup_backward(de, x, V):
    """dE (V, D): each row collects de (B, T, D) from all places of its word."""
    dE = np.zeros((V, de.shape[-1]))
    np.add.at(dE, x, de)
    return dE


def softmax(s):
    """Each row of s (N, V) as probabilities."""
    exps = np.exp(s - s.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def scores(h, E, c):
    """h Eᵀ + c: (N, D), (V, D), (V,) -> (N, V)."""
    return h @ E.T + c


def scores_backward(ds, h, E):
    """The gradients (dh, dE, dc) of `scores`."""
    return ds @ E, ds.T @ h, ds.sum(axis=0)


def cross_entropy(s, y):
    """The mean of −log softmax(s)[y] over the N places."""
    top = s.max(axis=-1, keepdims=True)
    log_sums = np.log(np.exp(s - top).sum(axis=-1)) + top[:, 0]
    return float(np.mean(log_sums - s[np.arange(len(y)), y]))


def cross_entropy_backward(s, y):
    """ds (N, V), the gradient of `cross_entropy` by the scores."""
    ds = softmax(s)
    ds[np.arange(len(y)), y] -= 1
    return ds / len(y)


def step(e, h_prev, W, U, b):
    """h = tanh(W e + U h_prev + b): (B, D), (B, H) -> (B, H)."""
    return np.tanh(e @ W.T + h_prev @ U.T + b)


def step_backward(dh, e, h_prev, h, W, U):
    """The gradients (de, dh_prev, dW, dU, db) of one step."""
    da = (1 - h**2) * dh
    return da @ W, da @ U, da.T @ e, da.T @ h_prev, da.sum(axis=0)


def forward_through_time(e, h0, W, U, b):
    """All states h (B, T, H) of e (B, T, D), from h0 (B, H) on."""
    states, h = [], h0
    for t in range(e.shape[1]):
        h = step(e[:, t], h, W, U, b)
        states.append(h)
    return np.stack(states, axis=1)


def backward_through_time(dh, e, h0, h, W, U):
    """The gradients (de, dh0, dW, dU, db) of all steps, from the last one back."""
    de, dW, dU, db = np.zeros_like(e), 0.0, 0.0, 0.0
    dh_next = np.zeros_like(h0)
    for t in reversed(range(e.shape[1])):
        h_prev = h[:, t - 1] if t else h0
        parts = step_backward(dh[:, t] + dh_next, e[:, t], h_prev, h[:, t], W, U)
        de[:, t], dh_next = parts[:2]
        dW, dU, db = dW + parts[2], dU + parts[3], db + parts[4]
    return de, dh_next, dW, dU, db


def loss_and_grads(params, x, y, h0):
    """(loss, grads, last state) of the tied model; grads has the names of params."""
    E, W, U, b, P, p, c = (params[name] for name in ("E", "W", "U", "b", "P", "p", "c"))
    e = lookup(x, E)
    h = forward_through_time(e, h0, W, U, b)
    rows = h.reshape(-1, h.shape[-1])
    o = scores(rows, P, p)
    s = scores(o, E, c)

    ds = cross_entropy_backward(s, y.ravel())
    do, dE_out, dc = scores_backward(ds, o, E)
    drows, dP, dp = scores_backward(do, rows, P)
    de, _, dW, dU, db = backward_through_time(drows.reshape(h.shape), e, h0, h, W, U)
    dE_in = lookup_backward(de, x, len(E))
    grads = {"E": dE_in + dE_out, "W": dW, "U": dU, "b": db, "P": dP, "p": dp, "c": dc}
    return cross_entropy(s, y.ravel()), grads, h[:, -1]


def adam(w, dw, m, v, t, rate):
    """The new (w, m, v) after step number t = 1, 2, …"""
    m = 0.9 * m + 0.1 * dw
    v = 0.999 * v + 0.001 * dw**2
    w = w - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w, m, v
