"""Every kind of language model by name: what checks, checkpoints and the command line offer.

A new one is a file and an entry of BODIES.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from tinytie.models.feedforward_lm import FeedForwardLM
from tinytie.models.language_model import LanguageModel
from tinytie.models.rnn_lm import RNNLM
from tinytie.models.transformer_lm import TransformerLM
from tinytie.ops.cells import CELLS


class Kind(NamedTuple):
    """A class, its arguments from a command's options, and the small models that are checked."""

    model: Any  # a subclass of LanguageModel
    arguments: Callable[[int, Any], dict[str, Any]]  # (width, options), for a width of E
    examples: Callable[[], dict[str, dict[str, Any]]]  # name -> arguments, but vocab_size and tied
    multiple_of: Callable[[Any], int] = lambda options: 1  # of what the width must be a multiple

    def build(self, vocab_size: Any, width: int, options: Any, **more: Any) -> LanguageModel:
        """A model of this width; `more` are arguments of its class, such as tied, dtype and rng."""
        return self.model(vocab_size, **self.arguments(width, options) | more)


def rnn_arguments(width, options):
    return {
        "d_embed": width, "d_hidden": options.hidden, "cell": options.cell,
        "n_layers": options.layers, "dropout": options.dropout,
    }  # fmt: skip


def rnn_examples():
    """One layer and two of every cell, with and without a projection, and what a cell may lack."""
    small = {"d_embed": 4, "d_hidden": 4}
    wide = {"d_embed": 4, "d_hidden": 5, "projection": True, "embed_scale": 1.7}
    cells = {name: small | {"cell": name} for name in CELLS}
    stacked = {f"{name}, 2 layers": wide | {"cell": name, "n_layers": 2} for name in CELLS}
    return cells | stacked | {
        "rnn, relu": wide | {"activation": "relu"},
        "rnn, no W": small | {"input_matrix": False, "output_bias": False},
        "rnn, no b": small | {"bias": False},
    }  # fmt: skip


def transformer_arguments(width, options):
    return {
        "d_model": width, "n_heads": options.heads, "n_layers": options.layers,
        "max_len": options.steps, "dropout": options.dropout,
    }  # fmt: skip


def transformer_examples():
    """Both norms, all positions and activations."""
    small = {"d_model": 4, "n_heads": 2, "n_layers": 2, "max_len": 6, "d_ff": 5}
    return {
        "transformer, post-norm": small | {"embed_scale": 2.0},
        "transformer, pre-norm": small | {
            "norm": "pre", "final_norm": True, "activation": "gelu", "output_bias": True,
            "positions": "sinusoidal",
        },
        "transformer, no positions": small | {"positions": "none", "activation": "gelu"},
    }  # fmt: skip


def feedforward_arguments(width, options):
    return {
        "d_embed": width, "d_hidden": options.hidden, "window": options.window,
        "dropout": options.dropout,
    }  # fmt: skip


def feedforward_examples():
    """A window of three words, and one of a single word."""
    return {
        "feedforward": {"d_embed": 4, "d_hidden": 5, "window": 3, "projection": True},
        "feedforward, of one word": {"d_embed": 4, "window": 1, "output_bias": False},
    }


BODIES = {
    "rnn": Kind(RNNLM, rnn_arguments, rnn_examples),
    "transformer": Kind(
        TransformerLM, transformer_arguments, transformer_examples, lambda options: options.heads
    ),
    "feedforward": Kind(FeedForwardLM, feedforward_arguments, feedforward_examples),
}
