"""Which models `tinytie check` looks at, and the batches on which a wrong gradient cannot hide."""

from typing import Any, NamedTuple

import numpy as np

from tinytie.models.masks import Dropout
from tinytie.models.rnn_lm import RNNLM

CELLS = ("tanh", "relu", "gru", "lstm")
B, T, V, D, H = 2, 5, 9, 4, 5  # all different, so that no transpose can fit by chance
SCALE, PADDING = 1.7, 8
DROPOUT = Dropout(embedding=0.2, layers=0.3, state=0.4, output=0.3, variational=True)


class Configuration(NamedTuple):
    """What a recurrent model can be made of."""

    cell: str
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
        layers = "1 layer" if self.n_layers == 1 else f"{self.n_layers} layers"
        words = [self.cell, layers, "tied" if self.tied else "untied"]
        words += [word for word in ("projection", "scale", "dropout", "padding")
                  if getattr(self, word)]  # fmt: skip
        return ", ".join(words if self.bias else [*words, "no output bias"])

    def model(self, rng):
        """The model, with every parameter random and none zero, biases included."""
        gated = self.cell in ("gru", "lstm")
        cell = {"cell": self.cell} if gated else {"cell": "rnn", "activation": self.cell}
        model = RNNLM(
            V, D if self.projection or not self.tied else H, H, **cell, n_layers=self.n_layers,
            tied=self.tied, projection=self.projection, output_bias=self.bias,
            embed_scale=SCALE if self.scale else 1.0, dropout=DROPOUT if self.dropout else 0.0,
            padding_id=PADDING if self.padding else None, rng=rng,
        )  # fmt: skip
        for array in model.params.values():
            array[...] = rng.standard_normal(array.shape)
        return model


def configurations(**fixed: Any) -> list[Configuration]:
    """Sixteen configurations in which every two options meet in every way; `fixed` overrides.

    Four options run through all combinations; the others are sums of two of them, modulo 2, so
    that any two columns of the table are independent (an orthogonal array of strength 2).
    """
    found = []
    for number in range(16):
        a, b, c, d = ((number >> bit) & 1 for bit in range(4))
        others = (bool(x ^ y) for x, y in ((a, c), (b, c), (a, d), (b, d), (c, d)))
        found.append(Configuration(CELLS[2 * b + a], 1 + c, not d, *others)._replace(**fixed))
    return list(dict.fromkeys(found))


def telling_batch(model: RNNLM, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, Any]:
    """(x, y, state): a token twice inside a step and again later, and a state that is not zero."""
    x, y = rng.integers(model.vocab_size, size=(2, B, T))
    x[1, 0] = x[0, -1] = x[0, 0]
    y[0, 0] = 0  # not padding, so that there is a loss
    return x, y, randomized(model.initial_state(B), rng)


def randomized(state, rng):
    """A state of the same structure, of random numbers."""
    if not isinstance(state, tuple):
        return rng.standard_normal(state.shape)
    parts = [randomized(part, rng) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
