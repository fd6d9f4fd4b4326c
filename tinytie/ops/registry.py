"""Every operation, with the shapes of its arguments: what the generic gradient test walks over.

A new operation is one file and one entry of OPERATIONS, a new cell is one entry of CELLS, and
neither can escape the check.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from tinytie.ops import (
    activations,
    attend,
    attention,
    augmented,
    dropout,
    embedding,
    feedforward,
    head,
    layernorm,
    linear,
    positions,
    softmax,
    windows,
)
from tinytie.ops.arguments import (
    Array,
    Constant,
    Counted,
    Held,
    Ids,
    Mask,
    Parts,
    Past,
    Sizes,
    Valid,
)
from tinytie.ops.cells import CELLS, cell_of
from tinytie.ops.recurrence import recurrence_backward, recurrence_forward

__all__ = ["OPERATIONS", "Operation", "Sizes", "operations"]


class Operation(NamedTuple):
    """A pair, and a sampler for each argument of the forward, in its order."""

    name: str
    forward: Callable
    backward: Callable
    arguments: dict[str, Any]

    def sample(self, rng, sizes):
        """A value for each argument, by name."""
        return {name: kind.sample(rng, sizes) for name, kind in self.arguments.items()}

    @property
    def differentiable(self):
        """The names of the arguments that the backward returns gradients of, in their order."""
        return [name for name, kind in self.arguments.items() if isinstance(kind, Array | Parts)]


def entry(name, forward, backward, **arguments):
    """An entry; a text is the shape of an `Array`, any other plain value a `Constant`."""
    kinds = {key: Array(kind) if isinstance(kind, str) else kind for key, kind in arguments.items()}
    kinds = {key: k if hasattr(k, "sample") else Constant(k) for key, k in kinds.items()}
    return Operation(name, forward, backward, kinds)


def pair(module, name):
    """The operation of this name in a module: its forward and its backward."""
    return getattr(module, f"{name}_forward"), getattr(module, f"{name}_backward")


# two heads as wide as D each, over a model of width 2D
TWO_HEADS: dict[str, Any] = {
    "x": "B T 2D", "Wqkv": "6D 2D", "bqkv": "6D", "Wo": "2D 2D", "bo": "2D", "n_heads": 2,
}  # fmt: skip
WIDENED: dict[str, Any] = {"x": "B T D", "W1": "H D", "b1": "H", "W2": "D H", "b2": "D"}
Y, SOME = Ids("B T"), Counted("B T")
SCORED: dict[str, Any] = {"h": "B T D", "E": "V D", "c": "V", "y": Y}
SOFT: dict[str, Any] = {"L": Held("V H"), "alpha": 1.3, "tau": 1.7}
CROSS_ENTROPY, LOSS = pair(softmax, "cross_entropy"), pair(softmax, "softmax_loss")
AUGMENTED, DIVERGENCE = pair(augmented, "augmented_loss"), pair(augmented, "divergence")
HEAD, ATTENTION = pair(head, "head"), pair(attention, "attention")
MULTI_HEAD, FEED_FORWARD = pair(attention, "multi_head"), pair(feedforward, "feed_forward")

OPERATIONS = [
    entry("embedding", *pair(embedding, "embedding"), x=Y, E="V D", scale=1.0),
    entry("embedding, scaled", *pair(embedding, "embedding"), x=Y, E="V D", scale=1.7),
    entry("linear", *pair(linear, "linear"), x="B T D", W="H D", b="H"),
    entry("linear, no bias", *pair(linear, "linear"), x="B T D", W="H D", b=None),
    entry("scores", *pair(softmax, "scores"), h="B T D", E="V D", c="V"),
    entry("cross-entropy", *CROSS_ENTROPY, s="B T V", y=Y),
    entry("cross-entropy, padded", *CROSS_ENTROPY, s="B T V", y=Y, counted=SOME),
    entry("softmax loss", *LOSS, **SCORED),
    entry("softmax loss, padded", *LOSS, **SCORED, counted=SOME),
    entry("softmax loss, no bias", *LOSS, **SCORED | {"c": None}),
    entry("head", *HEAD, **SCORED, counted=SOME),
    entry("head, no bias", *HEAD, **SCORED | {"c": None}),
    entry("head, in chunks", *HEAD, **SCORED, counted=SOME, chunk=2),
    entry("divergence", *DIVERGENCE, s="B T V", s_tilde=Held("B T V"), tau=1.7),
    entry("divergence, padded", *DIVERGENCE, s="B T V", s_tilde=Held("B T V"), tau=1.7,
          counted=SOME),
    entry("augmented loss", *AUGMENTED, **SCORED | SOFT),
    entry("augmented loss, no bias", *AUGMENTED, **SCORED | {"c": None} | SOFT, beta=0.4),
    entry("augmented loss, in chunks", *AUGMENTED, **SCORED | SOFT, beta=0.4, counted=SOME,
          chunk=2),
    entry("dropout", *pair(dropout, "dropout"), x="B T D", mask=Mask("B T D")),
    entry("dropout, one mask over time", *pair(dropout, "dropout"), x="B T D", mask=Mask("B 1 D")),
    entry("windows", *pair(windows, "windows"), e="B T D", past="B 2 D"),
    entry("positions", *pair(positions, "positions"), e="B T D", pos="2T D"),
    entry("positions, from the third on", *pair(positions, "positions"), e="B T D", pos="3T D",
          start=2),
    entry("layer norm", *pair(layernorm, "layernorm"), x="B T D", gain="D", shift="D"),
    entry("attention", *ATTENTION, q="B 2 T D", k="B 2 T D", v="B 2 T D"),
    entry("attention, more keys", *ATTENTION, q="B 2 T D", k="B 2 2T D", v="B 2 2T D"),
    entry("multi-head", *MULTI_HEAD, **TWO_HEADS),
    entry("multi-head, with a past", *MULTI_HEAD, **TWO_HEADS, past=Past("B 2 2T D")),
    entry("tanh", *pair(activations, "tanh"), a="B T D"),
    entry("relu", *pair(activations, "relu"), a="B T D"),
    entry("gelu", *pair(activations, "gelu"), a="B T D"),
    entry("feed-forward, relu", *FEED_FORWARD, **WIDENED, activation=Constant("relu")),
    entry("feed-forward, gelu", *FEED_FORWARD, **WIDENED, activation=Constant("gelu")),
    entry("attend", *pair(attend, "attend"), d="B 2T H", h="B T H", valid=Valid("B T")),
    entry("combine", *pair(attend, "combine"), d="B T H", k="B T H", A="H 2H", a="H"),
    entry("last valid", *pair(attend, "last_valid"), h="B T H", valid=Valid("B T")),
]  # fmt: skip


def operations():
    """OPERATIONS, and what every cell of CELLS adds to them."""
    cells = CELLS | {"rnn, relu": cell_of("rnn", "relu")}
    return OPERATIONS + [one for name, cell in cells.items() for one in of_cell(name, cell)]


def of_cell(name, cell):
    """A cell alone, and the recurrence around it: bare, with masks, without W and b."""
    G, state = cell.gates, Parts(cell.state, "B H")
    loop = partial(recurrence_forward, cell), partial(recurrence_backward, cell)
    weights = {"W": f"{G}H D", "U": f"{G}H H", "b": f"{G}H"}
    given = {"e": "B T D", "state": state, **weights}
    bare = {"e": f"B T {G}H", "state": state, "W": None, "U": weights["U"], "b": None}
    return [
        entry(f"{name} cell", cell.forward, cell.backward, a=f"B {G}H", u=f"B {G}H", state=state),
        entry(name, *loop, **given),
        entry(f"{name}, masked", *loop, **given, mask=Mask("B T H")),
        entry(f"{name}, one mask over time", *loop, **given, mask=Mask("B 1 H")),
        entry(f"{name}, no W, no b", *loop, **bare),
    ]
