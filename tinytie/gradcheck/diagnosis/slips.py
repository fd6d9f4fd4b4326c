"""Slips of the pen in the backward of a plain recurrent model, seen in answers to exercises.

The backward is written out once more, in plain NumPy, with one line at a time as people get it
wrong. It is tried only where no other cause fits, and only on the model that exercises have: one
layer of tanh, without dropout.
"""

from typing import NamedTuple

import numpy as np

SLIPS = {
    "1 − a² for 1 − h²": "slope at the wrong point",
    "1 − tanh²(h) for 1 − h²": "slope at the wrong point",
    "dsᵀ e for dsᵀ o": "lookup for hidden",
    "U": "matrix not transposed",
    "W": "matrix not transposed",
    "h rolled": "state wrapped",
}


class Seen(NamedTuple):
    """What the forward saw, all (B, T, width)."""

    e: np.ndarray
    a: np.ndarray
    h: np.ndarray
    before: np.ndarray  # h_{t−1}
    o: np.ndarray
    ds: np.ndarray  # of the scores, by the mean over the counted targets
    loss: float


def slip_fits(model, x, y, state, masks, measured):
    """(cause, detail) of each slip that makes all gradients of the model as they were given."""
    plain = getattr(model, "cell", "") == "rnn" and getattr(model, "activation", "") == "tanh"
    if not plain or model.n_layers != 1 or masks is not None:
        return []
    given = {m.row.name: m.analytic for m in measured if m.row.name in model.params}
    try:
        seen = forward(model, np.asarray(x), np.asarray(y), state)
        right = backward(model, np.asarray(x), seen)
        if not np.isclose(seen.loss, model.loss(x, y, state)[0], rtol=1e-12, atol=0):
            return []
        made = {slip: backward(model, np.asarray(x), seen, slip) for slip in SLIPS}
    except (KeyError, ValueError, TypeError, AttributeError, IndexError):
        return []  # another network than this one
    return [(SLIPS[slip], slip) for slip, wrong in made.items() if same(given, wrong, right)]


def same(given, made, right):
    """Whether the slip makes what was given, of which something is wrong."""
    if made is None or any(given[n].shape != right[n].shape for n in given):
        return False
    wrong = max(np.abs(given[n] - right[n]).max() for n in given)
    return all(np.abs(given[n] - made[n]).max() <= 1e-7 * wrong for n in given)


def forward(model, x, y, state):
    """As in `RNNLM`: e = λ E[x], h = tanh(W e + U h_{t−1} + b), o = P h + p, s = E o + c."""
    E_in, E_out = model.embeddings()
    W, U, b = (model.params.get(name) for name in ("W0", "U0", "b0"))
    e = model.embed_scale * E_in[x]
    h = (model.initial_state(len(x)) if state is None else state)[0]
    a, hs, before = [], [], []
    for t in range(x.shape[1]):
        before.append(h)
        a.append(e[:, t] @ W.T + h @ U.T + b)
        h = np.tanh(a[-1])
        hs.append(h)
    h = np.stack(hs, axis=1)
    o = h @ model.params["P"].T + model.params["p"] if "P" in model.params else h
    s = o @ E_out.T + model.params.get("c", 0.0)
    s = s - s.max(axis=2, keepdims=True)
    log_probabilities = s - np.log(np.exp(s).sum(axis=2, keepdims=True))
    hot = np.eye(len(E_out))[y]
    counted = np.ones(y.shape) if model.padding_id is None else 1.0 * (y != model.padding_id)
    weight = (counted / counted.sum())[..., None]
    loss = float(-np.sum(weight * hot * log_probabilities))
    ds = weight * (np.exp(log_probabilities) - hot)
    return Seen(e, np.stack(a, axis=1), h, np.stack(before, axis=1), o, ds, loss)


def backward(model, x, seen, slip=""):
    """The gradients by name, with one slip; None where the slip does not fit the shapes."""
    E_in, E_out = model.embeddings()
    W, U = model.params["W0"], model.params["U0"]
    if slip == "W" and W.shape[0] != W.shape[1]:
        return None
    do = seen.ds @ E_out
    dh = do @ model.params["P"] if "P" in model.params else do
    point = {"1 − a² for 1 − h²": seen.a, "1 − tanh²(h) for 1 − h²": np.tanh(seen.h)}
    slope = 1 - point.get(slip, seen.h) ** 2
    da, back = np.empty_like(dh), np.zeros_like(dh[:, 0])
    for t in reversed(range(x.shape[1])):
        da[:, t] = (dh[:, t] + back) * slope[:, t]
        back = da[:, t] @ (U.T if slip == "U" else U)
    before = np.roll(seen.h, 1, axis=1) if slip == "h rolled" else seen.before
    below = seen.e if slip == "dsᵀ e for dsᵀ o" else seen.o
    if below.shape[2] != E_out.shape[1]:
        return None
    dE_in, dE_out = np.zeros_like(E_in), summed(seen.ds, below)
    np.add.at(dE_in, x, model.embed_scale * (da @ (W.T if slip == "W" else W)))
    grads = {"W0": summed(da, seen.e), "U0": summed(da, before), "b0": da.sum(axis=(0, 1))}
    grads |= {"P": summed(do, seen.h), "p": do.sum(axis=(0, 1)), "c": seen.ds.sum(axis=(0, 1))}
    tied = {"E": dE_in + dE_out} if "E" in model.params else {"E_in": dE_in, "E_out": dE_out}
    return {name: (grads | tied)[name] for name in model.params}


def summed(d, below):
    """Σ over places of d ⊗ below."""
    return np.einsum("bti,btj->ij", d, below)
