"""The recurrent language model, tied or untied.

    e_t = Eᵀ x_t,   h_t = f(W e_t + U h_{t−1} + b),   o_t = P h_t + p,   ŷ_t = softmax(E o_t + c)

P and p are there only where asked for, or where a tied E is not as wide as h.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tinytie.models import inputs
from tinytie.models.initial import recurrent_bound
from tinytie.models.language_model import LanguageModel
from tinytie.models.masks import Dropout, as_dropout
from tinytie.models.recurrent_body import RecurrentBody
from tinytie.ops.cells import CELLS


class RNNLM(LanguageModel):
    """A language model with tied or untied embeddings over stacked recurrent layers.

    Parameters: E (V, D) where tied, E_in (V, D) and E_out where untied; W{l} (G·H, width below),
    U{l} (G·H, H), b{l} (G·H,) for layer l, with G = 1 (rnn), 3 (gru: r z n), 4 (lstm: i f g o);
    P (D, H) and p (D,) where there is a projection; c (V,) unless output_bias=False. Untied
    without a projection, E_out is (V, H); otherwise it is (V, D).

    vocab_size: one size, or (V_in, V_out) where tied=False. cell: a name of CELLS; activation
    "tanh" or "relu", of cell "rnn". projection: None is automatic (where tied and D ≠ H), True
    forces one, False forbids it. input_matrix=False leaves W out, h = f(e + U h + b), where D = H
    and cell is "rnn"; bias=False leaves b out. embed_scale multiplies the looked-up rows only.
    dropout: a float or a `Dropout`. padding_id: a target without loss, whose row starts at zero
    and is frozen in both roles. rng: what `np.random.default_rng` takes.

    Raises ValueError or TypeError on sizes and options that do not fit together.
    """

    OPTIONS = (
        "vocab_size", "d_embed", "d_hidden", "cell", "n_layers", "tied", "projection",
        "activation", "output_bias", "embed_scale", "dropout", "padding_id", "input_matrix",
        "bias",
    )  # fmt: skip

    def __init__(
        self, vocab_size: int | tuple[int, int], d_embed: int, d_hidden: int | None = None, *,
        cell: str = "rnn", n_layers: int = 1, tied: bool = True, projection: bool | None = None,
        activation: str = "tanh", output_bias: bool = True, embed_scale: float = 1.0,
        dropout: float | Dropout = 0.0, padding_id: int | None = None, input_matrix: bool = True,
        bias: bool = True, dtype: DTypeLike = np.float64, rng: Any = None,
    ) -> None:  # fmt: skip
        self._options(vocab_size, tied, output_bias, embed_scale, padding_id, dtype)
        self._widths(d_embed, d_hidden, projection)
        self.cell = inputs.one_of("cell", cell, CELLS)
        self.n_layers = inputs.positive("n_layers", n_layers)
        self.activation = inputs.one_of("activation", activation, ("tanh", "relu"))
        self.dropout = as_dropout(dropout)
        self.input_matrix = inputs.flag("input_matrix", input_matrix)
        self.bias = inputs.flag("bias", bias)
        if not self.input_matrix:
            check_no_input_matrix(self.cell, self.d_embed, self.d_hidden)
        body = RecurrentBody(
            self.d_embed, self.d_hidden, cell=self.cell, activation=self.activation,
            n_layers=self.n_layers, projection=self.projection, input_matrix=self.input_matrix,
            bias=self.bias, dropout=self.dropout,
        )  # fmt: skip
        self._assemble(body, rng, recurrent_bound)


def check_no_input_matrix(cell, d_embed, d_hidden):
    """Without W, e_t is added to U h as it is: it must be as wide, G·H."""
    if CELLS[cell].gates != 1 or d_embed != d_hidden:
        raise ValueError(
            "input_matrix=False adds e to U h as it is, so it needs d_embed = d_hidden and a cell "
            f"of one gate; got d_embed={d_embed}, d_hidden={d_hidden} and cell={cell!r}"
        )
