"""The body of a translator: an encoder, a decoder that attends to it, and both of them backwards.

The way forward is told in the equations of `Translator`; each backward runs the lines of its
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
from tinytie.ops.dropout import dropout_backward, dropout_forward
from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.recurrence import recurrence_backward, recurrence_forward

NAMES = ("encoder.W", "encoder.U", "encoder.b", "decoder.W", "decoder.U", "decoder.b", "A", "a")


class Body(NamedTuple):
    """Every parameter but the embeddings; None where the model has no such array."""

    encoder: tuple  # W, U, b
    decoder: tuple  # W, U, b
    A: Any
    a: Any
    P: Any = None
    p: Any = None
    c: Any = None

    @classmethod
    def of(cls, params):
        """From a dict of names."""
        arrays = [params[name] for name in NAMES]
        optional = [params.get(name) for name in "Ppc"]
        return cls(tuple(arrays[:3]), tuple(arrays[3:6]), *arrays[6:], *optional)

    def named(self):
        """Back to a dict of names."""
        arrays = [*self.encoder, *self.decoder, *self[2:]]
        pairs = zip([*NAMES, *"Ppc"], arrays, strict=True)
        return {name: array for name, array in pairs if array is not None}


class TranslatorMasks(NamedTuple):
    """Dropout on e of either side and on o: (B, S, D), (B, T, D), (B, T, H), None for none."""

    source: Any = None
    target: Any = None
    output: Any = None


def hidden_forward(E_source, E_target, body, source, x, valid, masks, cell, scale):
    """From the source (B, S) and the words read so far x (B, T) to o, which meets E_out: (B, T, D).

    Returns o and both caches.
    """
    h, last, encoded = encode_forward(
        E_source, body.encoder, source, valid, masks.source, cell, scale
    )
    start = state_of(last, cell)
    o, _, decoded = decode_forward(E_target, body, x, start, h, valid, masks, cell, scale)
    return o, (encoded, decoded)


def hidden_backward(do, cache, cell):
    """Returns dE_source, dE_target, and the gradients of the `Body` but for c."""
    encoded, decoded = cache
    dE_target, dstart, dh, dbody = decode_backward(do, decoded, cell)
    dE_source, dencoder = encode_backward(dh, dstart, encoded, cell)
    return dE_source, dE_target, dbody._replace(encoder=dencoder)


class EncodeCache(NamedTuple):
    looked: NamedTuple
    dropped: NamedTuple
    stepped: NamedTuple
    taken: NamedTuple  # of the state after the last valid step


def encode_forward(E_source, weights, source, valid, mask, cell, scale):
    """The states h (B, S, H), and the one after the last valid step of each row, (B, H)."""
    e, looked = embedding_forward(source, E_source, scale)
    e, dropped = dropout_forward(e, mask)
    zero = np.zeros((len(source), weights[1].shape[1]), E_source.dtype)
    (h, _), stepped = recurrence_forward(cell, e, state_of(zero, cell), *weights)
    last, taken = last_valid_forward(h, valid)
    return h, last, EncodeCache(looked, dropped, stepped, taken)


def encode_backward(dh, dlast, cache, cell):
    """dh (B, S, H) from the attention and dlast (B, H) from the decoder's start.

    Returns dE_source and the gradients of the encoder's W, U, b.
    """
    looked, dropped, stepped, taken = cache
    dh = dh + last_valid_backward(dlast, taken)  # h is used twice: attended to, and handed over
    de, _, *dweights = recurrence_backward(cell, (dh, None), stepped)
    return embedding_backward(dropout_backward(de, dropped), looked), tuple(dweights)


class DecodeCache(NamedTuple):
    looked: NamedTuple
    dropped_in: NamedTuple
    stepped: NamedTuple
    attended: Any  # its weights are the attention map
    combined: NamedTuple
    dropped_out: NamedTuple
    projected: Any  # None where there is no P


def decode_forward(E_target, body, x, state, h, valid, masks, cell, scale):
    """From ids x (B, T), a state and the encoder's states to o, which meets E_out: (B, T, D).

    Returns o, the state after the last step, and the cache.
    """
    e, looked = embedding_forward(x, E_target, scale)
    e, dropped_in = dropout_forward(e, masks.target)
    (d, last), stepped = recurrence_forward(cell, e, state, *body.decoder)
    k, attended = attend_forward(d, h, valid)
    o, combined = combine_forward(d, k, body.A, body.a)
    o, dropped_out = dropout_forward(o, masks.output)
    projected = None
    if body.P is not None:
        o, projected = linear_forward(o, body.P, body.p)
    cache = DecodeCache(looked, dropped_in, stepped, attended, combined, dropped_out, projected)
    return o, last, cache


def decode_backward(do, cache, cell):
    """Returns dE_target, dstart (B, H), dh (B, S, H), and the decoder's part of the `Body`."""
    dP, dp = None, None
    if cache.projected is not None:
        do, dP, dp = linear_backward(do, cache.projected)
    do = dropout_backward(do, cache.dropped_out)
    dd_combined, dk, dA, da = combine_backward(do, cache.combined)
    dd_asking, dh = attend_backward(dk, cache.attended)
    dd = dd_combined + dd_asking  # d is used twice: beside the context, and to ask for it
    de, dstate, *dweights = recurrence_backward(cell, (dd, None), cache.stepped)
    dE_target = embedding_backward(dropout_backward(de, cache.dropped_in), cache.looked)
    return dE_target, dstate[0], dh, Body((), tuple(dweights), dA, da, dP, dp)


def state_of(h, cell):
    """A state that shows h. All else, such as the memory of an LSTM, begins at zero."""
    return cell.state(h, *[np.zeros_like(h)] * (len(cell.state._fields) - 1))
