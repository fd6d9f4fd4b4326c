"""The recurrent body: layers of one cell, one above the other, and a projection where asked for.

h⁰ = e,   h^{l+1} = recurrence(W^l, U^l, b^l; h^l),   o = P h + p
"""

from typing import Any, NamedTuple

import numpy as np

from tinytie.models.body import Body
from tinytie.models.masks import Drop, Dropout, Masks
from tinytie.ops.cells import cell_of
from tinytie.ops.dropout import dropout_backward, dropout_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.recurrence import recurrence_backward, recurrence_forward


class RecurrentCache(NamedTuple):
    layers: list[tuple]  # (the dropout below, the recurrence) of each layer
    dropped: Any  # above the last layer
    projected: Any  # None where there is no P


class RecurrentBody(Body):
    """See `RNNLM`, whose options these are."""

    def __init__(
        self, d_embed: int, d_hidden: int, *, cell: str, activation: str, n_layers: int,
        projection: bool, input_matrix: bool, bias: bool, dropout: Dropout,
    ) -> None:  # fmt: skip
        self.cell_name, self.activation, self.n_layers = cell, activation, n_layers
        self.d_in, self.d_hidden = d_embed, d_hidden
        self.d_out = d_embed if projection else d_hidden
        self.projection, self.input_matrix, self.bias = projection, input_matrix, bias
        embedding, layer, state, output, once = dropout
        self.drops = Masks(
            Drop(embedding, d_embed, once),
            (Drop(layer, d_hidden, once),) * (n_layers - 1),
            (Drop(state, d_hidden, once),) * n_layers,
            Drop(output, d_hidden, once),
        )

    @property
    def cell(self):
        """The cell, as it is registered now."""
        return cell_of(self.cell_name, self.activation)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """W, U and b of each layer, then P and p."""
        D, H, G = self.d_in, self.d_hidden, self.cell.gates
        shapes: dict[str, tuple[int, ...]] = {}
        for layer, below in enumerate([D] + [H] * (self.n_layers - 1)):
            if self.input_matrix:
                shapes[f"W{layer}"] = (G * H, below)
            shapes[f"U{layer}"] = (G * H, H)
            if self.bias:
                shapes[f"b{layer}"] = (G * H,)
        return shapes | ({"P": (D, H), "p": (D,)} if self.projection else {})

    def initial_state(self, batch_size, dtype):
        """Zeros: a tuple with an entry for each layer, (B, H) or a state of several parts."""
        kind, shape = self.cell.state, (batch_size, self.d_hidden)

        def zeros():
            return shown(kind(*(np.zeros(shape, dtype) for _ in kind._fields)))

        return tuple(zeros() for _ in range(self.n_layers))

    def forward(self, e, params, state, masks):
        """The equations above, with `Masks` below each layer, on each state and on the last h."""
        cell, h, layers, last = self.cell, e, [], []
        for layer, s in enumerate(state):
            h, below = dropout_forward(h, masks.below[layer])
            W, U, b = (params.get(f"{name}{layer}") for name in "WUb")
            s = s if isinstance(s, tuple) else cell.state(s)
            (h, s), stepped = recurrence_forward(cell, h, s, W, U, b, masks.state[layer])
            layers.append((below, stepped))
            last.append(shown(s))
        h, dropped = dropout_forward(h, masks.output)
        o, projected = linear_forward(h, params["P"], params["p"]) if self.projection else (h, None)
        return o, tuple(last), RecurrentCache(layers, dropped, projected)

    def backward(self, do, cache):
        """The same lines in reverse."""
        layers, dropped, projected = cache
        grads, dh = {}, do
        if projected is not None:
            dh, grads["P"], grads["p"] = linear_backward(do, projected)
        dh = dropout_backward(dh, dropped)
        for layer in reversed(range(self.n_layers)):
            below, stepped = layers[layer]
            dh, _, *dweights = recurrence_backward(self.cell, (dh, None), stepped)
            dh = dropout_backward(dh, below)
            grads |= {f"{name}{layer}": dw for name, dw in zip("WUb", dweights, strict=True)}
        return dh, {name: grads[name] for name in self.shapes}


def shown(state):
    """A state as the model shows it: the array itself where there is but one."""
    return state if len(state) > 1 else state[0]
