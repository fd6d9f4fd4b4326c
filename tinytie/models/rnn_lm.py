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
        self.tied = inputs.flag("tied", tied)
        self.vocab_size = inputs.vocabulary_sizes(vocab_size, self.tied)
        self.d_embed = inputs.positive("d_embed", d_embed)
        self.d_hidden = self.d_embed if d_hidden is None else inputs.positive("d_hidden", d_hidden)
        self.cell = inputs.one_of("cell", cell, CELLS)
        self.n_layers = inputs.positive("n_layers", n_layers)
        self.projection = has_projection(self.tied, projection, self.d_embed, self.d_hidden)
        self.activation = inputs.one_of("activation", activation, ("tanh", "relu"))
        self.output_bias = inputs.flag("output_bias", output_bias)
        self.embed_scale = inputs.finite("embed_scale", embed_scale)
        self.dropout = as_dropout(dropout)
        self.padding_id = inputs.padding(padding_id, min(self.vocab_in, self.vocab_out))
        self.input_matrix = inputs.flag("input_matrix", input_matrix)
        self.bias = inputs.flag("bias", bias)
        self.dtype = inputs.floating(dtype)
        if not self.input_matrix:
            check_no_input_matrix(self.cell, self.d_embed, self.d_hidden)
        body = RecurrentBody(
            self.d_embed, self.d_hidden, cell=self.cell, activation=self.activation,
            n_layers=self.n_layers, projection=self.projection, input_matrix=self.input_matrix,
            bias=self.bias, dropout=self.dropout,
        )  # fmt: skip
        self._assemble(body, rng, recurrent_bound)


def has_projection(tied, projection, d_embed, d_hidden):
    """Whether there is a P: automatic (None) where a tied E is not as wide as h."""
    if projection is not None and not isinstance(projection, bool | np.bool_):
        raise TypeError(f"projection must be None, True or False, got {projection!r}")
    if not tied or d_embed == d_hidden:
        return bool(projection)
    if projection is not None and not projection:
        raise ValueError(
            f"one matrix cannot serve both sides: d_embed is {d_embed} but d_hidden is {d_hidden}; "
            "make them equal, or leave projection=None for a projection from one to the other"
        )
    return True


def check_no_input_matrix(cell, d_embed, d_hidden):
    """Without W, e_t is added to U h as it is: it must be as wide, G·H."""
    if CELLS[cell].gates != 1 or d_embed != d_hidden:
        raise ValueError(
            "input_matrix=False adds e to U h as it is, so it needs d_embed = d_hidden and a cell "
            f"of one gate; got d_embed={d_embed}, d_hidden={d_hidden} and cell={cell!r}"
        )
