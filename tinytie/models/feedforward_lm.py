"""The feed-forward language model: a window of words instead of a state.

    o_t = P tanh(W [e_{t−n+1}; …; e_t] + b) + p,   ŷ_t = softmax(E o_t + c)

Source: Bengio, Ducharme, Vincent and Jauvin 2003, equation 1, without its direct connections.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from tinytie.models import inputs
from tinytie.models.body import Body
from tinytie.models.initial import recurrent_bound
from tinytie.models.language_model import LanguageModel
from tinytie.models.masks import Drop
from tinytie.ops.activations import tanh_backward, tanh_forward
from tinytie.ops.dropout import dropout_backward, dropout_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.windows import windows_backward, windows_forward


class FeedForwardMasks(NamedTuple):
    embedding: Any
    output: Any


class FeedForwardBody(Body):
    """One tanh layer over the last `window` vectors; the state is the window without its last."""

    def __init__(self, d_embed, d_hidden, window, projection, dropout):
        self.d_in, self.d_hidden, self.window = d_embed, d_hidden, window
        self.d_out, self.projection = (d_embed if projection else d_hidden), projection
        self.drops = FeedForwardMasks(Drop(dropout, d_embed), Drop(dropout, d_hidden))

    @property
    def shapes(self):
        """W, b and, where there is a projection, P and p."""
        D, H = self.d_in, self.d_hidden
        P = {"P": (D, H), "p": (D,)} if self.projection else {}
        return {"W": (H, self.window * D), "b": (H,)} | P

    def initial_state(self, batch_size, dtype):
        """No words yet: zeros (B, window − 1, D)."""
        return (np.zeros((batch_size, self.window - 1, self.d_in), dtype),)

    def forward(self, e, params, state, masks):
        """The equation above."""
        e, dropped = dropout_forward(e, masks.embedding)
        seen, windowed = windows_forward(e, *state)
        a, widened = linear_forward(seen, params["W"], params["b"])
        h, activated = tanh_forward(a)
        h, dropped_out = dropout_forward(h, masks.output)
        o, projected = linear_forward(h, params["P"], params["p"]) if self.projection else (h, None)
        last = np.concatenate([*state, e], axis=1)[:, e.shape[1] :]
        return o, (last,), (dropped, windowed, widened, activated, dropped_out, projected)

    def backward(self, do, cache):
        """The same lines in reverse."""
        dropped, windowed, widened, activated, dropped_out, projected = cache
        dP = {}
        if self.projection:
            do, dP["P"], dP["p"] = linear_backward(do, projected)
        da = tanh_backward(dropout_backward(do, dropped_out), activated)
        dseen, dW, db = linear_backward(da, widened)
        de, _ = windows_backward(dseen, windowed)  # the words before the first are detached
        return dropout_backward(de, dropped), {"W": dW, "b": db} | dP


class FeedForwardLM(LanguageModel):
    """A language model with tied or untied embeddings over a window of n = `window` words.

    Parameters: E (V, D) where tied, E_in and E_out where untied, as in `RNNLM`; W (H, n·D), b (H,);
    P (D, H), p (D,) where there is a projection; c (V,) unless output_bias=False. The state is the
    vectors of the last n − 1 words. All other options are those of `RNNLM`.
    """

    OPTIONS = (
        "vocab_size", "d_embed", "d_hidden", "window", "tied", "projection", "output_bias",
        "embed_scale", "dropout", "padding_id",
    )  # fmt: skip

    def __init__(
        self, vocab_size: int | tuple[int, int], d_embed: int, d_hidden: int | None = None, *,
        window: int, tied: bool = True, projection: bool | None = None, output_bias: bool = True,
        embed_scale: float = 1.0, dropout: float = 0.0, padding_id: int | None = None,
        dtype: DTypeLike = np.float64, rng: Any = None,
    ) -> None:  # fmt: skip
        self._options(vocab_size, tied, output_bias, embed_scale, padding_id, dtype)
        self._widths(d_embed, d_hidden, projection)
        self.window = inputs.positive("window", window)
        self.dropout = inputs.share("dropout", dropout)
        sizes = self.d_embed, self.d_hidden, self.window, self.projection
        self._assemble(FeedForwardBody(*sizes, self.dropout), rng, recurrent_bound)
