"""The bodies of a language model, by the name that `--model` gives them: one entry each.

A new body is one more entry in `BODIES`, and exists in every command from then on.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from tinytie.models.inputs import one_of
from tinytie.models.language_model import LanguageModel
from tinytie.models.rnn_lm import RNNLM
from tinytie.models.transformer_lm import TransformerLM


class Sizes(NamedTuple):
    """What the command line can ask of a body; each takes what it has a use for."""

    width: int = 64  # of the embedding and, where hidden is None, of the hidden layers
    hidden: int | None = None
    layers: int = 1
    cell: str = "rnn"
    heads: int = 4
    steps: int = 20  # of a batch; a body that looks back on a bounded text sees as many


class Body(NamedTuple):
    """A body's model, and which of its arguments the sizes are."""

    model: Any  # a subclass of LanguageModel
    arguments: Callable[[Sizes], dict[str, Any]]
    own: tuple[str, ...] = ()  # the sizes that not every body has
    width_step: Callable[[Sizes], int] = lambda sizes: 1  # every width is a multiple of it


BODIES: dict[str, Body] = {
    "rnn": Body(
        RNNLM,
        lambda s: {
            "d_embed": s.width, "d_hidden": s.hidden, "cell": s.cell, "n_layers": s.layers
        },
        own=("cell", "hidden"),
    ),
    "transformer": Body(
        TransformerLM,
        lambda s: {
            "d_model": s.width, "n_heads": s.heads, "n_layers": s.layers, "max_len": s.steps
        },
        own=("heads",),
        width_step=lambda sizes: sizes.heads,
    ),
}  # fmt: skip


def body(name: str) -> Body:
    """The entry of this name. Raises ValueError, with the names there are, where there is none."""
    return BODIES[one_of("model", name, BODIES)]


def sketch(name: str, vocab_size: int, sizes: Sizes, **options: Any) -> LanguageModel:
    """A model whose shapes may be asked for, but which has no arrays."""
    made, arguments = body(name).model, body(name).arguments(sizes)
    found = []

    def stop(model):
        found.append(model)
        raise SketchedError

    with suppress(SketchedError):  # every constructor checks its options before it asks for shapes
        cls: Any = type(made.__name__, (made,), {"shapes": property(stop)})
        cls(vocab_size, **arguments, **options, rng=0)
    found[0].__class__ = made
    return found[0]


class SketchedError(Exception):
    """All but the arrays is there."""
