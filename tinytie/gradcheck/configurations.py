"""Which models `tinytie check` looks at, and the batches on which a wrong gradient cannot hide."""

from typing import Any, NamedTuple

import numpy as np

from tinytie.models.language_model import LanguageModel
from tinytie.models.masks import Dropout
from tinytie.models.rnn_lm import RNNLM
from tinytie.models.transformer_lm import TransformerLM
from tinytie.ops.cells import CELLS

NAMES = (*CELLS, "transformer")  # as in `tinytie train --cell`
B, T, V, D, H = 2, 5, 9, 4, 5  # all different, so that no transpose can fit by chance
SCALE, PADDING = 1.7, 8
DROPOUT = Dropout(embedding=0.2, layers=0.3, state=0.4, output=0.3, variational=True)


class Recurrent(NamedTuple):
    """What a recurrent model can be made of."""

    cell: str
    activation: str  # of cell "rnn"
    n_layers: int
    tied: bool
    projection: bool
    scale: bool
    bias: bool
    dropout: bool
    padding: bool

    @property
    def title(self):
        """ "lstm, 2 layers, tied, dropout": what is there, in words."""
        relu = ("relu",) if self.activation == "relu" else ()
        return title_of(self, ("projection", "scale", "dropout", "padding"), relu)

    def model(self, rng):
        """The model, with every parameter random and none zero, biases included."""
        cell: Any = {"cell": self.cell, "activation": self.activation}
        model = RNNLM(
            V, D if self.projection or not self.tied else H, H, **cell, n_layers=self.n_layers,
            tied=self.tied, projection=self.projection, output_bias=self.bias,
            embed_scale=SCALE if self.scale else 1.0, dropout=DROPOUT if self.dropout else 0.0,
            padding_id=PADDING if self.padding else None, rng=rng,
        )  # fmt: skip
        return drawn(model, rng)


class Transformer(NamedTuple):
    """What a Transformer can be made of."""

    cell: str
    n_layers: int
    tied: bool
    scale: bool
    bias: bool
    dropout: bool
    pre_norm: bool
    gelu: bool
    sinusoidal: bool
    final_norm: bool

    @property
    def title(self):
        """ "transformer, 1 layer, tied, gelu": what is there, in words."""
        return title_of(self, ("scale", "dropout", "pre_norm", "gelu", "sinusoidal", "final_norm"))

    def model(self, rng):
        """The model, with every parameter random and none zero, biases included."""
        model = TransformerLM(
            V, 4, 2, self.n_layers, T + 1, d_ff=7, norm="pre" if self.pre_norm else "post",
            final_norm=self.final_norm, positions="sinusoidal" if self.sinusoidal else "learned",
            activation="gelu" if self.gelu else "relu", tied=self.tied, output_bias=self.bias,
            embed_scale=SCALE if self.scale else 1.0, dropout=0.3 if self.dropout else 0.0, rng=rng,
        )  # fmt: skip
        return drawn(model, rng)


def title_of(configuration, options, more=()):
    """The cell, the layers, the tying, and the options that are on."""
    n = configuration.n_layers
    words = [configuration.cell, *more, "1 layer" if n == 1 else f"{n} layers"]
    words.append("tied" if configuration.tied else "untied")
    words += [word.replace("_", " ") for word in options if getattr(configuration, word)]
    return ", ".join(words if configuration.bias else [*words, "no output bias"])


def drawn(model, rng):
    """Standard normal numbers in every parameter: at zero a wrong backward may look right."""
    for array in model.params.values():
        array[...] = rng.standard_normal(array.shape)
    return model


def configurations(**fixed: Any) -> list[Recurrent | Transformer]:
    """What is checked, 16 recurrent models and 8 Transformers; `fixed` options override.

    In each group any two options meet in every way (but for the Transformer's last normalization
    and number of layers, which follow another option): some options run through all combinations,
    the others are sums of these modulo 2, an orthogonal array of strength 2. Raises ValueError
    where no model has all the fixed options.
    """
    cell = fixed.get("cell")
    found: list[Recurrent | Transformer] = []
    if cell != "transformer":
        found += [with_options(c, fixed) for c in [*map(recurrent, range(16)), *added_cells()]]
    if cell in (None, "transformer") and fixed.keys() <= set(Transformer._fields):
        found += [c._replace(**fixed) for c in map(transformer, range(8))]
    if not found:
        raise ValueError("a Transformer has no projection and no padding: leave these options out")
    return list(dict.fromkeys(found))


def bits(number, count):
    """The lowest bits, from the lowest."""
    return [(number >> bit) & 1 for bit in range(count)]


def recurrent(number):
    """One of 16."""
    a, b, c, d = bits(number, 4)
    others = (bool(x ^ y) for x, y in ((a, c), (b, c), (a, d), (b, d), (c, d)))
    cell, activation = (("rnn", "tanh"), ("rnn", "relu"), ("gru", "tanh"), ("lstm", "tanh"))[
        2 * b + a
    ]
    return Recurrent(cell, activation, 1 + c, not d, *others)


def added_cells():
    """Four configurations of each cell that the registry has beyond the usual three."""
    more = [name for name in CELLS if name not in ("rnn", "gru", "lstm")]
    return [recurrent(number)._replace(cell=name) for name in more for number in (0, 6, 11, 13)]


def with_options(configuration, fixed):
    """The configuration with the fixed options; only cell "rnn" has another activation."""
    c = configuration._replace(**fixed)
    return c if c.cell == "rnn" else c._replace(activation="tanh")


def transformer(number):
    """One of 8."""
    a, b, c = bits(number, 3)
    last = a ^ b ^ c
    options = (not a, a ^ b, a ^ c, b ^ c, b, c, last, b)
    return Transformer("transformer", 1 + last, *map(bool, options))


def telling_batch(
    model: LanguageModel, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, Any]:
    """(x, y, state): a token twice inside a step and again later, and a state that is not zero."""
    x, y = rng.integers(model.vocab_size, size=(2, B, T))
    x[1, 0] = x[0, -1] = x[0, 0]
    y[0, 0] = 0  # not padding, so that there is a loss
    return x, y, randomized(model.initial_state(B), rng)


def randomized(state, rng):
    """A state of the same structure, of random numbers."""
    if state is None:
        return None
    if not isinstance(state, tuple):
        return rng.standard_normal(state.shape)
    parts = [randomized(part, rng) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
