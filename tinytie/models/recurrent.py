"""The body of a recurrent language model: from token ids to the vectors that meet the scores."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tinytie.ops.dropout import dropout_backward, dropout_forward
from tinytie.ops.embedding import embedding_forward
from tinytie.ops.gru import gru_backward, gru_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.lstm import lstm_backward, lstm_forward
from tinytie.ops.rnn import rnn_backward, rnn_forward


class Cell(NamedTuple):
    forward: Callable
    backward: Callable
    gates: int  # rows of W, U and b, in units of H


CELLS = {
    "rnn": Cell(rnn_forward, rnn_backward, 1),
    "gru": Cell(gru_forward, gru_backward, 3),
    "lstm": Cell(lstm_forward, lstm_backward, 4),
}


class Rest(NamedTuple):
    """Every parameter but the embeddings; None where the model has no such array."""

    cells: list[tuple]  # (W, U, b) a layer
    P: Any = None
    p: Any = None
    c: Any = None

    @classmethod
    def of(cls, params, n_layers):
        """From a dict of names."""
        cells = [tuple(params[f"{name}{layer}"] for name in "WUb") for layer in range(n_layers)]
        return cls(cells, params.get("P"), params.get("p"), params.get("c"))

    def named(self):
        """Back to a dict of names."""
        named = {
            f"{name}{layer}": array
            for layer, weights in enumerate(self.cells)
            for name, array in zip("WUb", weights, strict=True)
        }
        named |= {"P": self.P, "p": self.p, "c": self.c}
        return {name: array for name, array in named.items() if array is not None}


def hidden_forward(E_in, rest, x, state, masks, cell, scale):
    """From ids to the vectors that meet E_out: o (B, T, D), or h (B, T, H) without a projection."""
    h, looked = embedding_forward(x, E_in, scale)
    layers, last = [], []
    for weights, s, below, m in zip(rest.cells, state, masks.below, masks.state, strict=True):
        h, dropped = dropout_forward(h, below)
        (h, s), stepped = cell.forward(h, s, *weights, m)
        layers.append((dropped, stepped))
        last.append(s)
    h, dropped = dropout_forward(h, masks.output)
    projected = None
    if rest.P is not None:
        h, projected = linear_forward(h, rest.P, rest.p)
    return h, tuple(last), (looked, layers, dropped, projected)


def hidden_backward(do, cache, cell):
    """The same lines in reverse. Returns de, the cache of the lookup, and dcells, dP, dp."""
    looked, layers, dropped, projected = cache
    dh, dP, dp = do, None, None
    if projected is not None:
        dh, dP, dp = linear_backward(dh, projected)
    dh = dropout_backward(dh, dropped)
    dcells: list[list] = []
    for below, stepped in reversed(layers):
        dh, _, *dweights = cell.backward((dh, None), stepped)  # None: the state is detached
        dh = dropout_backward(dh, below)
        dcells.insert(0, dweights)
    return dh, looked, dcells, dP, dp
