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
    return Operation(name, forward, backward, arguments)


def multi_head(**arguments):
    """Two heads as wide as D each, over a model of width 2D."""
    return {
        "x": Array("B T 2D"),
        "Wqkv": Array("6D 2D"),
        "bqkv": Array("6D"),
        "Wo": Array("2D 2D"),
        "bo": Array("2D"),
        "n_heads": Constant(2),
    } | arguments


def feed_forward(activation):
    """Width D, and H inside."""
    return {
        "x": Array("B T D"),
        "W1": Array("H D"),
        "b1": Array("H"),
        "W2": Array("D H"),
        "b2": Array("D"),
        "activation": Constant(activation),
    }


E_STEPS, MASK_STEPS, ONE_MASK = Array("B T D"), Mask("B T H"), Mask("B 1 H")
HEAD = head.head_forward, head.head_backward
LOSS = softmax.softmax_loss_forward, softmax.softmax_loss_backward
CROSS_ENTROPY = softmax.cross_entropy_forward, softmax.cross_entropy_backward
LINEAR = linear.linear_forward, linear.linear_backward
SCORES = softmax.scores_forward, softmax.scores_backward
EMBEDDING = embedding.embedding_forward, embedding.embedding_backward
DIVERGENCE = augmented.divergence_forward, augmented.divergence_backward
AUGMENTED = augmented.augmented_loss_forward, augmented.augmented_loss_backward
DROPOUT = dropout.dropout_forward, dropout.dropout_backward
WINDOWS = windows.windows_forward, windows.windows_backward
POSITIONS = positions.positions_forward, positions.positions_backward
LAYERNORM = layernorm.layernorm_forward, layernorm.layernorm_backward
ATTENTION = attention.attention_forward, attention.attention_backward
MULTI_HEAD = attention.multi_head_forward, attention.multi_head_backward
TANH = activations.tanh_forward, activations.tanh_backward
RELU = activations.relu_forward, activations.relu_backward
GELU = activations.gelu_forward, activations.gelu_backward
FEED_FORWARD = feedforward.feed_forward_forward, feedforward.feed_forward_backward
ATTEND = attend.attend_forward, attend.attend_backward
COMBINE = attend.combine_forward, attend.combine_backward
LAST_VALID = attend.last_valid_forward, attend.last_valid_backward

HEADS = Array("B 2 T D")
H_STEPS, E, C, Y = Array("B T D"), Array("V D"), Array("V"), Ids("B T")

OPERATIONS = [
    entry("embedding", *EMBEDDING, x=Ids("B T"), E=E, scale=Constant(1.0)),
    entry("embedding, scaled", *EMBEDDING, x=Ids("B T"), E=E, scale=Constant(1.7)),
    entry("linear", *LINEAR, x=E_STEPS, W=Array("H D"), b=Array("H")),
    entry("linear, no bias", *LINEAR, x=E_STEPS, W=Array("H D"), b=Constant(None)),
    entry("scores", *SCORES, h=H_STEPS, E=E, c=C),
    entry("cross-entropy", *CROSS_ENTROPY, s=Array("B T V"), y=Y),
    entry("cross-entropy, padded", *CROSS_ENTROPY, s=Array("B T V"), y=Y, counted=Counted("B T")),
    entry("softmax loss", *LOSS, h=H_STEPS, E=E, c=C, y=Y),
    entry("softmax loss, padded", *LOSS, h=H_STEPS, E=E, c=C, y=Y, counted=Counted("B T")),
    entry("softmax loss, no bias", *LOSS, h=H_STEPS, E=E, c=Constant(None), y=Y),
    entry("head", *HEAD, h=H_STEPS, E=E, c=C, y=Y, counted=Counted("B T")),
    entry("head, no bias", *HEAD, h=H_STEPS, E=E, c=Constant(None), y=Y),
    entry("head, in chunks", *HEAD, h=H_STEPS, E=E, c=C, y=Y, counted=Counted("B T"),
          chunk=Constant(2)),
    entry("divergence", *DIVERGENCE, s=Array("B T V"), s_tilde=Held("B T V"), tau=Constant(1.7)),
    entry("divergence, padded", *DIVERGENCE, s=Array("B T V"), s_tilde=Held("B T V"),
          tau=Constant(1.7), counted=Counted("B T")),
    entry("augmented loss", *AUGMENTED, h=H_STEPS, E=E, c=C, y=Y, L=Held("V H"),
          alpha=Constant(1.3), tau=Constant(1.7)),
    entry("augmented loss, no bias", *AUGMENTED, h=H_STEPS, E=E, c=Constant(None), y=Y,
          L=Held("V H"), alpha=Constant(1.3), tau=Constant(1.7), beta=Constant(0.4)),
    entry("augmented loss, in chunks", *AUGMENTED, h=H_STEPS, E=E, c=C, y=Y, L=Held("V H"),
          alpha=Constant(1.3), tau=Constant(1.7), beta=Constant(0.4), counted=Counted("B T"),
          chunk=Constant(2)),
    entry("dropout", *DROPOUT, x=E_STEPS, mask=Mask("B T D")),
    entry("dropout, one mask over time", *DROPOUT, x=E_STEPS, mask=Mask("B 1 D")),
    entry("windows", *WINDOWS, e=E_STEPS, past=Array("B 2 D")),
    entry("positions", *POSITIONS, e=E_STEPS, pos=Array("2T D")),
    entry("positions, from the third on", *POSITIONS, e=E_STEPS, pos=Array("3T D"),
          start=Constant(2)),
    entry("layer norm", *LAYERNORM, x=E_STEPS, gain=Array("D"), shift=Array("D")),
    entry("attention", *ATTENTION, q=HEADS, k=HEADS, v=HEADS),
    entry("attention, more keys", *ATTENTION, q=HEADS, k=Array("B 2 2T D"), v=Array("B 2 2T D")),
    entry("multi-head", *MULTI_HEAD, **multi_head()),
    entry("multi-head, with a past", *MULTI_HEAD, **multi_head(past=Past("B 2 2T D"))),
    entry("tanh", *TANH, a=E_STEPS),
    entry("relu", *RELU, a=E_STEPS),
    entry("gelu", *GELU, a=E_STEPS),
    entry("feed-forward, relu", *FEED_FORWARD, **feed_forward("relu")),
    entry("feed-forward, gelu", *FEED_FORWARD, **feed_forward("gelu")),
    entry("attend", *ATTEND, d=Array("B 2T H"), h=Array("B T H"), valid=Valid("B T")),
    entry("combine", *COMBINE, d=Array("B T H"), k=Array("B T H"), A=Array("H 2H"), a=Array("H")),
    entry("last valid", *LAST_VALID, h=Array("B T H"), valid=Valid("B T")),
]  # fmt: skip


def operations():
    """OPERATIONS, and what every cell of CELLS adds to them."""
    cells = CELLS | {"rnn, relu": cell_of("rnn", "relu")}
    return OPERATIONS + [one for name, cell in cells.items() for one in of_cell(name, cell)]


def of_cell(name, cell):
    """A cell alone, and the recurrence around it: bare, with masks, without W, without b."""
    G = cell.gates
    pair = partial(recurrence_forward, cell), partial(recurrence_backward, cell)
    arguments = {
        "e": E_STEPS, "state": Parts(cell.state, "B H"),
        "W": Array(f"{G}H D"), "U": Array(f"{G}H H"), "b": Array(f"{G}H"),
    }  # fmt: skip
    bare = {"W": Constant(None), "b": Constant(None), "e": Array(f"B T {G}H")}
    sides = {"a": Array(f"B {G}H"), "u": Array(f"B {G}H")}
    return [
        entry(f"{name} cell", cell.forward, cell.backward, **sides, state=Parts(cell.state, "B H")),
        entry(name, *pair, **arguments),
        entry(f"{name}, masked", *pair, **arguments, mask=MASK_STEPS),
        entry(f"{name}, one mask over time", *pair, **arguments, mask=ONE_MASK),
        entry(f"{name}, no W, no b", *pair, **(arguments | bare)),
    ]
