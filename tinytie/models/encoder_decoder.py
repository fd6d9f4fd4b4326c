"""The body of a translator: an encoder, and a decoder that attends to it; vectors to vectors.

    h_j = f(e_j, h_{j−1})                                   the encoder, from h_0 = 0
    d_t = f(e_t, d_{t−1})                                   the decoder, from d_0 = h_last
    α_t = softmax over valid j of d_t · h_j,   k_t = Σ_j α_tj h_j
    o_t = tanh(A [d_t; k_t] + a),   then P o_t + p where D ≠ H

h_last is the state after a row's last valid word, so that no padding enters it; what else a cell
has in its state, as the memory of an LSTM, begins at zero. Each backward runs the lines of its
forward from the last to the first.
"""

from typing import Any, NamedTuple

import numpy as np

from tinytie.ops.attend import (
    attend_backward,
    attend_forward,
    combine_backward,
    combine_forward,
    last_valid_backward,
    last_valid_forward,
)
from tinytie.ops.cells import CELLS
from tinytie.ops.dropout import dropout_backward, dropout_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.recurrence import recurrence_backward, recurrence_forward

ENCODER = ("encoder.W", "encoder.U", "encoder.b")
DECODER = ("decoder.W", "decoder.U", "decoder.b")


class TranslatorMasks(NamedTuple):
    """Dropout on e of either side and on o: (B, S, D), (B, T, D), (B, T, H), None for none."""

    source: Any = None
    target: Any = None
    output: Any = None


class EncodeCache(NamedTuple):
    dropped: NamedTuple
    stepped: NamedTuple
    taken: NamedTuple  # of the state after the last valid step


class DecodeCache(NamedTuple):
    dropped_in: NamedTuple
    stepped: NamedTuple
    attended: Any  # its weights are the attention map
    combined: NamedTuple
    dropped_out: NamedTuple
    projected: Any  # None where there is no P


class EncoderDecoder:
    """See `Translator`, whose options these are. It holds no arrays."""

    def __init__(self, cell: str, d_embed: int, d_hidden: int) -> None:
        self.cell_name, self.D, self.H = cell, d_embed, d_hidden
        self.projection = d_embed != d_hidden

    @property
    def cell(self):
        """The cell, as it is registered now."""
        return CELLS[self.cell_name]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """W, U and b of either side, A and a, and P and p where D ≠ H."""
        D, H, G = self.D, self.H, self.cell.gates
        layer = (G * H, D), (G * H, H), (G * H,)
        sides = dict(zip(ENCODER + DECODER, layer + layer, strict=True))
        P = {"P": (D, H), "p": (D,)} if self.projection else {}
        return sides | {"A": (H, 2 * H), "a": (H,)} | P

    def encode(self, e, params, valid, mask):
        """The states h (B, S, H), the state from which the decoder starts, and the cache."""
        e, dropped = dropout_forward(e, mask)
        zero = self.state_of(np.zeros((len(e), self.H), e.dtype))
        weights = (params[name] for name in ENCODER)
        (h, _), stepped = recurrence_forward(self.cell, e, zero, *weights)
        last, taken = last_valid_forward(h, valid)
        return h, self.state_of(last), EncodeCache(dropped, stepped, taken)

    def encode_backward(self, dh, dstart, cache):
        """dh (B, S, H) from the attention and dstart from the decoder's start: de, and by name."""
        dropped, stepped, taken = cache
        dh = dh + last_valid_backward(dstart[0], taken)  # h is used twice: attended to, handed over
        de, _, *dweights = recurrence_backward(self.cell, (dh, None), stepped)
        return dropout_backward(de, dropped), dict(zip(ENCODER, dweights, strict=True))

    def decode(self, e, params, state, h, valid, masks):
        """o (B, T, D), the state after the last step, and the cache."""
        e, dropped_in = dropout_forward(e, masks.target)
        weights = (params[name] for name in DECODER)
        (d, last), stepped = recurrence_forward(self.cell, e, state, *weights)
        k, attended = attend_forward(d, h, valid)
        o, combined = combine_forward(d, k, params["A"], params["a"])
        o, dropped_out = dropout_forward(o, masks.output)
        projected = None
        if self.projection:
            o, projected = linear_forward(o, params["P"], params["p"])
        return o, last, DecodeCache(
            dropped_in, stepped, attended, combined, dropped_out, projected
        )  # fmt: skip

    def decode_backward(self, do, cache):
        """de (B, T, D), dstart, dh (B, S, H), and the gradients by name."""
        grads = {}
        if self.projection:
            do, grads["P"], grads["p"] = linear_backward(do, cache.projected)
        do = dropout_backward(do, cache.dropped_out)
        dd_combined, dk, grads["A"], grads["a"] = combine_backward(do, cache.combined)
        dd_asking, dh = attend_backward(dk, cache.attended)
        dd = dd_combined + dd_asking  # d is used twice: beside the context, and to ask for it
        de, dstart, *dweights = recurrence_backward(self.cell, (dd, None), cache.stepped)
        grads |= zip(DECODER, dweights, strict=True)
        return dropout_backward(de, cache.dropped_in), dstart, dh, grads

    def state_of(self, h):
        """A state that shows h, and is zero in all its other parts."""
        return self.cell.state(h, *[np.zeros_like(h)] * (len(self.cell.state._fields) - 1))
