"""The model's own network, with every use of a parameter free to move on its own.

A wrong backward is the exact gradient of a slightly different network: one in which some uses of
a parameter, or some states, are constants. `Network.along` gives the loss of that other network
along a direction, so that a hypothesis is tested by differences alone, without any backward code.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tinytie.models.tying import untie_weights


class Variant(NamedTuple):
    """A mistake, as what moves and what stands still while a parameter is bumped along v.

    lookups, scores: how v moves the looked-up rows (B, T, D) and the matrix of the scores; None is
    the right way. cuts: steps at which the sequence is cut in pieces; detach(state, constant):
    what a piece hands on to the next. live(name, piece, pieces): whether a parameter moves there.
    weights: what the pieces' losses count, None for their share of the targets. x, y, state: what
    is read instead.
    """

    cause: str
    detail: str = ""
    lookups: Callable | None = None
    scores: Callable | None = None
    cuts: tuple = ()
    detach: Callable | None = None
    live: Callable | None = None
    weights: Callable | None = None
    x: Any = None
    y: Any = None
    state: Any = None


PLAIN = Variant("")


class Network:
    """One batch through an untied copy of the model in which each place has a row of its own.

    The copy reads as many words as there are places, and predicts those of the model.
    """

    def __init__(self, model, x, y, state, masks):
        self.x, self.y = np.asarray(x), np.asarray(y)
        self.zeros = model.initial_state(len(self.x))
        self.state = self.zeros if state is None else state
        self.masks, self.padding_id = masks, getattr(model, "padding_id", None)
        self.twin = untie_weights(model)
        self.params = self.twin.params
        self.E_in, self.E_out = self.twin.embeddings()
        self.rows = self.E_in[self.x]  # every place has its own row, so that it can move alone

    def along(self, variant: Variant, name: str, v: np.ndarray) -> Callable[[float], float]:
        """f(h): the variant's loss with the parameter moved by h v."""
        y = self.y if variant.y is None else variant.y
        spans = spans_of(variant.cuts, self.x.shape[1])
        weights = self.weights(variant, spans, y)
        constants: list = []

        def f(h):
            state, total = self.state if variant.state is None else variant.state, 0.0
            for k, (span, weight) in enumerate(zip(spans, weights, strict=True)):
                live = variant.live is None or variant.live(name, k, len(spans))
                rows, E_out, rest = self.moved(variant, name, h * v if live else 0 * v)
                loss, state = self.piece(rows, E_out, rest, span, y, state)
                total += weight * loss
                if h == 0 and len(constants) < len(spans):
                    constants.append(state)
                if variant.detach is not None:
                    state = variant.detach(state, constants[k])
            return total

        if variant.detach is not None:
            f(0)  # keeps the states that a detached piece hands on
        return f

    def moved(self, variant, name, v):
        """The looked-up rows, the matrix of the scores, and all other parameters."""
        rows, x = (self.rows, self.x) if variant.x is None else (self.E_in[variant.x], variant.x)
        E_out, rest = self.E_out, self.params
        if name in ("E", "E_in"):
            rows = rows + (v[x] if variant.lookups is None else variant.lookups(v))
        if name in ("E", "E_out"):
            E_out = E_out + (v if variant.scores is None else variant.scores(v))
        if name not in ("E", "E_in", "E_out"):
            rest = rest | {name: rest[name] + v}
        return rows, E_out, rest

    def piece(self, rows, E_out, rest, span, y, state):
        """Loss and last state of some steps."""
        y, padding = y[:, span], self.padding_id
        if padding is not None and (y == padding).all():
            y = np.where(y == padding, (padding + 1) % len(self.E_out), y)  # weighs nothing
        lookup = rows[:, span].reshape(-1, rows.shape[-1])
        self.twin.vocab_size = (len(lookup), len(E_out))
        self.twin.params = rest | {"E_in": lookup, "E_out": E_out}
        kept = {}
        if self.masks is not None:
            kept["masks"] = sliced(self.masks, span, self.x.shape[1])
        return self.twin.loss(np.arange(y.size).reshape(y.shape), y, state, **kept)

    def weights(self, variant, spans, y):
        """What the loss of each piece counts."""
        counted = np.ones(y.shape, bool)
        if self.padding_id is not None:
            counted = y != self.padding_id
        shares = [counted[:, span].sum() / counted.sum() for span in spans]
        return shares if variant.weights is None else variant.weights(shares)


def spans_of(cuts, steps):
    """(2, 3), 5 -> slices 0:2, 2:3, 3:5."""
    edges = [0, *cuts, steps]
    return [slice(a, b) for a, b in pairwise(edges)]


def sliced(masks, span, steps):
    """The masks of some steps; one mask for all steps stays as it is."""
    if isinstance(masks, tuple):
        parts = [sliced(mask, span, steps) for mask in masks]
        return type(masks)(*parts) if hasattr(masks, "_fields") else tuple(parts)
    return masks if masks is None or masks.shape[1] != steps else masks[:, span]
