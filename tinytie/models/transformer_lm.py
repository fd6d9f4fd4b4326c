"""The Transformer language model, tied or untied, as one function of two embedding matrices.

    h = blocks(scale · Eᵀ x_t + pos_t),   ŷ_t = softmax(E h_t + c)

The same head as the recurrent model's over another body. c is there only where asked for.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tinytie.models import inputs
from tinytie.models.initial import transformer_bound, uniform_params
from tinytie.models.language_model import LanguageModel
from tinytie.models.transformer import Rest, hidden_backward, hidden_forward
from tinytie.models.transformer_block import NORMS, Block
from tinytie.models.transformer_masks import check_masks, draw_masks, no_masks
from tinytie.models.transformer_memory import (
    Memory,
    check_memory,
    empty_memory,
    kept_places,
)
from tinytie.ops.feedforward import FEED_FORWARD_ACTIVATIONS
from tinytie.ops.positions import sinusoids
from tinytie.ops.softmax import scores_forward, softmax_loss_backward, softmax_loss_forward


class TransformerLM(LanguageModel):
    """A language model with tied or untied embeddings over a causal Transformer.

    Parameters: E (V, d) where tied, E_in and E_out (V, d) where untied; pos (max_len, d) where
    positions are learned; for block l from 0, each after `block{l}.`: Wqkv (3d, d; q, k, v),
    bqkv (3d,), Wo (d, d), bo (d,), gain1, shift1 (d,), W1 (d_ff, d), b1 (d_ff,), W2 (d, d_ff),
    b2 (d,), gain2, shift2 (d,); final.gain and final.shift (d,) with final_norm; c (V,) with
    output_bias. Every weight matrix is (out, in).

    d_ff None is 4d. norm "post" or "pre"; positions "learned" or "sinusoidal"; activation "relu"
    or "gelu". embed_scale multiplies the looked-up rows only; √d is usual beside sinusoidal
    positions. dropout is the share set to zero of the sum of embedding and position, and of what
    each attention and feed-forward adds. rng: what `np.random.default_rng` takes.

    There is no state: `state` must be None, and None comes back. A sentence longer than max_len
    is a ValueError; so are sizes and options that do not fit together.
    Source: Vaswani et al. 2017, the decoder without its encoder.
    """

    OPTIONS = (
        "vocab_size", "d_model", "n_heads", "n_layers", "max_len", "d_ff", "norm", "final_norm",
        "positions", "activation", "tied", "output_bias", "embed_scale", "dropout",
    )  # fmt: skip
    padding_id = None

    def __init__(
        self, vocab_size: int, d_model: int, n_heads: int, n_layers: int, max_len: int, *,
        d_ff: int | None = None, norm: str = "post", final_norm: bool = False,
        positions: str = "learned", activation: str = "relu", tied: bool = True,
        output_bias: bool = False, embed_scale: float = 1.0, dropout: float = 0.0,
        dtype: DTypeLike = np.float64, rng: Any = None,
    ) -> None:  # fmt: skip
        self.vocab_size = inputs.vocabulary_size(vocab_size)
        self.d_model = inputs.positive("d_model", d_model)
        self.n_heads = whole_heads(self.d_model, inputs.positive("n_heads", n_heads))
        self.n_layers = inputs.positive("n_layers", n_layers)
        self.max_len = inputs.positive("max_len", max_len)
        self.d_ff = 4 * self.d_model if d_ff is None else inputs.positive("d_ff", d_ff)
        self.norm = inputs.one_of("norm", norm, NORMS)
        self.final_norm = inputs.flag("final_norm", final_norm)
        self.positions = inputs.one_of("positions", positions, ("learned", "sinusoidal"))
        self.activation = inputs.one_of("activation", activation, FEED_FORWARD_ACTIVATIONS)
        self.tied = inputs.flag("tied", tied)
        self.output_bias = inputs.flag("output_bias", output_bias)
        self.embed_scale = inputs.finite("embed_scale", embed_scale)
        self.dropout = inputs.share("dropout", dropout)
        self.dtype = inputs.floating(dtype)
        rng = inputs.generator(rng)
        self.params = uniform_params(self.shapes, rng, self.dtype, transformer_bound)
        self.frozen = {}

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter, by name."""
        V, d, d_ff = self.vocab_size, self.d_model, self.d_ff
        E = {name: (V, d) for name in self.embedding_names}
        block = Block(
            Wqkv=(3 * d, d), bqkv=(3 * d,), Wo=(d, d), bo=(d,), gain1=(d,), shift1=(d,),
            W1=(d_ff, d), b1=(d_ff,), W2=(d, d_ff), b2=(d,), gain2=(d,), shift2=(d,),
        )  # fmt: skip
        pos = (self.max_len, d) if self.positions == "learned" else None
        final = ((d,), (d,)) if self.final_norm else None
        c = (V,) if self.output_bias else None
        return E | Rest(pos, [block] * self.n_layers, final, c).named()

    def initial_state(self, batch_size: int) -> None:
        """None: a Transformer carries nothing from one call to the next."""
        inputs.positive("batch_size", batch_size)

    def start(self, batch_size: int) -> Memory:
        """The memory of `step` before the first token: for each block, no keys and no values."""
        batch_size = inputs.positive("batch_size", batch_size)
        return empty_memory(batch_size, self.n_heads, self.d_model, self.n_layers, self.dtype)

    @property
    def context(self) -> int:
        """How many tokens a prediction can look back on: max_len."""
        return self.max_len

    def _norm(self):
        norm = NORMS[self.norm]
        forward = partial(norm.forward, n_heads=self.n_heads, activation=self.activation)
        return norm._replace(forward=forward)

    def _hidden(self, E_in, rest, x, masks, past=None):
        """The vectors that meet E_out, (B, T, d), and the cache. past: a memory of `step`."""
        places = x.shape[1] + (0 if past is None else kept_places(past))
        if places > self.max_len:
            raise ValueError(
                f"{places} tokens in a row are more than max_len, which is {self.max_len}; cut the "
                "text into shorter pieces, or build the model with a larger max_len"
            )
        pos = sinusoids(places, self.d_model, self.dtype) if rest.pos is None else rest.pos
        past = (None,) * self.n_layers if past is None else past
        return hidden_forward(E_in, rest, x, pos, masks, past, self._norm(), self.embed_scale)

    def _forward(self, E_in, E_out, x, y, state, masks, chunk):
        """The whole network: loss(E_in, E_out, rest)."""
        rest = Rest.of(self.params, self.n_layers)
        h, hidden = self._hidden(E_in, rest, x, masks)
        out = None if chunk else self._take_spare(y.size, len(E_out))
        loss, scored = softmax_loss_forward(h, E_out, rest.c, y, None, chunk, out)
        return loss, None, (hidden, scored)

    def _backward(self, cache):
        """Back to both matrices: (de, the lookup's cache), dE_out, and the rest by name."""
        hidden, scored = cache
        dh, dE_out, dc = softmax_loss_backward(1.0, scored)
        self._spare = scored.ds  # done with: the next step's scores go there
        de, looked, dpos, dblocks, dfinal = hidden_backward(dh, hidden, self._norm())
        if self.positions == "sinusoidal":
            dpos = None  # the table is fixed
        return (de, looked), dE_out, Rest(dpos, dblocks, dfinal, dc).named()

    def _logits(self, E_in, E_out, x, state):
        rest = Rest.of(self.params, self.n_layers)
        h, _ = self._hidden(E_in, rest, x, no_masks(self.n_layers))
        return scores_forward(h, E_out, rest.c)[0], None

    def _step(self, E_in, E_out, x, memory):
        past = check_memory(memory, self.start(len(x)))
        rest = Rest.of(self.params, self.n_layers)
        h, hidden = self._hidden(E_in, rest, x, no_masks(self.n_layers), past)
        kept = tuple(block.attended.kept for block in hidden.blocks)  # the past, and x
        return scores_forward(h, E_out, rest.c)[0], kept

    def _state(self, state, batch_size):
        """There is none."""
        if state is not None:
            raise ValueError(
                "a Transformer carries no state from call to call: leave state=None, "
                f"got {inputs.describe(state)}"
            )

    def _draw_masks(self, rng, batch, steps):
        shape = (batch, steps, self.d_model)
        return draw_masks(rng, self.dropout, shape, self.n_layers, self.dtype)

    def _check_masks(self, masks, batch, steps):
        if masks is None:
            return no_masks(self.n_layers)
        return check_masks(masks, (batch, steps, self.d_model), self.n_layers, self.dtype)


def whole_heads(d_model, n_heads):
    """The number of heads, where it divides the width."""
    if d_model % n_heads:
        raise ValueError(
            f"d_model must be a multiple of n_heads, got d_model={d_model} and n_heads={n_heads}: "
            "each head takes an equal part of the width"
        )
    return n_heads
