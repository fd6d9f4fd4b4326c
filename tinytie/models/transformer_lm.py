"""The Transformer language model, tied or untied.

    h = blocks(scale · Eᵀ x_t + pos_t),   ŷ_t = softmax(E h_t + c)

The same head as the recurrent model's over another body. c is there only where asked for.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tinytie.models import inputs
from tinytie.models.initial import transformer_bound
from tinytie.models.language_model import LanguageModel
from tinytie.models.transformer_block import NORMS
from tinytie.models.transformer_body import TransformerBody


class TransformerLM(LanguageModel):
    """A language model with tied or untied embeddings over a causal Transformer.

    Parameters: E (V, d) where tied, E_in and E_out (V, d) where untied; pos (max_len, d) where
    positions are learned; for block l from 0, each after `block{l}.`: Wqkv (3d, d; q, k, v),
    bqkv (3d,), Wo (d, d), bo (d,), gain1, shift1 (d,), W1 (d_ff, d), b1 (d_ff,), W2 (d, d_ff),
    b2 (d,), gain2, shift2 (d,); final.gain and final.shift (d,) with final_norm; c (V,) with
    output_bias. Every weight matrix is (out, in).

    d_ff None is 4d. norm "post" or "pre"; positions "learned", "sinusoidal" or "none";
    activation "relu" or "gelu". embed_scale multiplies the looked-up rows only; √d is usual beside
    sinusoidal positions. dropout is the share set to zero of the sum of embedding and position, and
    of what each attention and feed-forward adds. rng: what `np.random.default_rng` takes.

    There is no state: `state` must be None, and None comes back. A sentence longer than max_len
    is a ValueError; so are sizes and options that do not fit together.
    Source: Vaswani et al. 2017, the decoder without its encoder.
    """

    OPTIONS = (
        "vocab_size", "d_model", "n_heads", "n_layers", "max_len", "d_ff", "norm", "final_norm",
        "positions", "activation", "tied", "output_bias", "embed_scale", "dropout",
    )  # fmt: skip

    def __init__(
        self, vocab_size: int, d_model: int, n_heads: int, n_layers: int, max_len: int, *,
        d_ff: int | None = None, norm: str = "post", final_norm: bool = False,
        positions: str = "learned", activation: str = "relu", tied: bool = True,
        output_bias: bool = False, embed_scale: float = 1.0, dropout: float = 0.0,
        dtype: DTypeLike = np.float64, rng: Any = None,
    ) -> None:  # fmt: skip
        self._options(vocab_size, tied, output_bias, embed_scale, None, dtype)
        self.d_model = inputs.positive("d_model", d_model)
        self.n_heads = whole_heads(self.d_model, inputs.positive("n_heads", n_heads))
        self.n_layers = inputs.positive("n_layers", n_layers)
        self.max_len = inputs.positive("max_len", max_len)
        self.d_ff = 4 * self.d_model if d_ff is None else inputs.positive("d_ff", d_ff)
        self.norm = inputs.one_of("norm", norm, NORMS)
        self.final_norm = inputs.flag("final_norm", final_norm)
        self.positions = inputs.one_of("positions", positions, ("learned", "sinusoidal", "none"))
        self.activation = inputs.one_of("activation", activation, ("relu", "gelu"))
        self.dropout = inputs.share("dropout", dropout)
        body = TransformerBody(
            self.d_model, self.n_heads, self.n_layers, self.max_len, d_ff=self.d_ff,
            norm=self.norm, final_norm=self.final_norm, positions=self.positions,
            activation=self.activation, dropout=self.dropout,
        )  # fmt: skip
        self._assemble(body, rng, transformer_bound)


def whole_heads(d_model, n_heads):
    """The number of heads, where it divides the width."""
    if d_model % n_heads:
        raise ValueError(
            f"d_model must be a multiple of n_heads, got d_model={d_model} and n_heads={n_heads}: "
            "each head takes an equal part of the width"
        )
    return n_heads
