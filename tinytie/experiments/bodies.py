"""The bodies of a language model, by the name that `--model` gives them: one entry each.

A new body is one more entry in `BODIES`, and exists in every command from then on.
"""

from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from tinytie.models.inputs import one_of
from tinytie.models.language_model import LanguageModel
from tinytie.models.rnn_lm import RNNLM
from tinytie.models.transformer_lm import TransformerLM


class Body(NamedTuple):
    """A body's model, and its arguments from options such as `LanguageOptions`."""

    model: Any  # a subclass of LanguageModel
    arguments: Callable[[Any], dict[str, Any]]
    own: tuple[str, ...] = ()  # the options that not every body has
    width_step: Callable[[Any], int] = lambda options: 1  # every width is a multiple of it


def recurrent(o):
    return {"d_embed": o.width, "d_hidden": o.hidden, "cell": o.cell, "n_layers": o.layers}


def transformer(o):
    """It looks back on as many steps as it is trained on."""
    return {"d_model": o.width, "n_heads": o.heads, "n_layers": o.layers, "max_len": o.steps}


BODIES: dict[str, Body] = {
    "rnn": Body(RNNLM, recurrent, own=("cell", "hidden")),
    "transformer": Body(TransformerLM, transformer, ("heads",), lambda options: options.heads),
}


def body(name: str) -> Body:
    """The entry of this name. Raises ValueError, with the names there are, where there is none."""
    return BODIES[one_of("model", name, BODIES)]


def widest(count: Callable[[int], int], budget: int) -> int:
    """The largest n with count(n) <= budget, but at least 1; count grows with n."""
    too_wide = 1
    while count(too_wide) <= budget:
        too_wide *= 2
    return max(1, bisect_right(range(1, too_wide), budget, key=count))


def sketch(model: Any, vocab_size: int, **options: Any) -> LanguageModel:
    """A model whose shapes may be asked for, but which has no arrays."""
    found = []

    def stop(one):
        found.append(one)
        raise SketchedError

    with suppress(SketchedError):  # every constructor checks its options before it asks for shapes
        cls: Any = type(model.__name__, (model,), {"shapes": property(stop)})
        cls(vocab_size, **options, rng=0)
    found[0].__class__ = model
    return found[0]


class SketchedError(Exception):
    """All but the arrays is there."""
