"""The recurrent language model, tied or untied, as one function of two embedding matrices.

    e_t = Eᵀ x_t,   h_t = f(W e_t + U h_{t−1} + b),   o_t = P h_t + p,   ŷ_t = softmax(E o_t + c)

P and p are there only where asked for, or where a tied E is not as wide as h.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tinytie.models import inputs
from tinytie.models.initial import uniform_params
from tinytie.models.language_model import LanguageModel
from tinytie.models.masks import Dropout, as_dropout, check_masks, draw_masks, mask_shapes, no_masks
from tinytie.models.recurrent import CELLS, Rest, hidden_backward, hidden_forward
from tinytie.ops.activations import ACTIVATIONS
from tinytie.ops.lstm import LSTMState
from tinytie.ops.softmax import scores_forward, softmax_loss_backward, softmax_loss_forward


class RNNLM(LanguageModel):
    """A language model with tied or untied embeddings over stacked recurrent layers.

    Parameters: E (V, D) where tied, E_in (V, D) and E_out where untied; W{l} (G·H, width below),
    U{l} (G·H, H), b{l} (G·H,) for layer l, with G = 1 (rnn), 3 (gru: r z n), 4 (lstm: i f g o);
    P (D, H) and p (D,) where there is a projection; c (V,) unless output_bias=False. Untied
    without a projection, E_out is (V, H); otherwise it is (V, D).

    cell "rnn", "gru" or "lstm"; activation "tanh" or "relu", of cell "rnn". projection: None is
    automatic (where tied and D ≠ H), True forces one, False forbids it. embed_scale multiplies the
    looked-up rows only. dropout: a float or a `Dropout`. padding_id: a target without loss, whose
    row starts at zero and is frozen in both roles. rng: what `np.random.default_rng` takes.

    Raises ValueError or TypeError on sizes and options that do not fit together.
    """

    OPTIONS = (
        "vocab_size", "d_embed", "d_hidden", "cell", "n_layers", "tied", "projection",
        "activation", "output_bias", "embed_scale", "dropout", "padding_id",
    )  # fmt: skip

    def __init__(
        self, vocab_size: int, d_embed: int, d_hidden: int | None = None, *, cell: str = "rnn",
        n_layers: int = 1, tied: bool = True, projection: bool | None = None,
        activation: str = "tanh", output_bias: bool = True, embed_scale: float = 1.0,
        dropout: float | Dropout = 0.0, padding_id: int | None = None,
        dtype: DTypeLike = np.float64, rng: Any = None,
    ) -> None:  # fmt: skip
        self.vocab_size = inputs.vocabulary_size(vocab_size)
        self.d_embed = inputs.positive("d_embed", d_embed)
        self.d_hidden = self.d_embed if d_hidden is None else inputs.positive("d_hidden", d_hidden)
        self.cell = inputs.one_of("cell", cell, CELLS)
        self.n_layers = inputs.positive("n_layers", n_layers)
        self.tied = inputs.flag("tied", tied)
        self.projection = has_projection(self.tied, projection, self.d_embed, self.d_hidden)
        self.activation = inputs.one_of("activation", activation, ACTIVATIONS)
        self.output_bias = inputs.flag("output_bias", output_bias)
        self.embed_scale = inputs.finite("embed_scale", embed_scale)
        self.dropout = as_dropout(dropout)
        self.padding_id = inputs.padding(padding_id, self.vocab_size)
        self.dtype = inputs.floating(dtype)
        self.params = uniform_params(self.shapes, inputs.generator(rng), self.dtype)
        self.frozen = {}
        self._freeze_padding()

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter, by name."""
        return rnn_lm_shapes(
            self.vocab_size, self.d_embed, self.d_hidden, cell=self.cell, n_layers=self.n_layers,
            tied=self.tied, projection=self.projection, output_bias=self.output_bias,
        )  # fmt: skip

    def initial_state(self, batch_size: int) -> tuple:
        """Zeros: a tuple with one entry a layer, (B, H) or LSTMState(h, c)."""
        shape = (inputs.positive("batch_size", batch_size), self.d_hidden)
        zeros = partial(np.zeros, shape, self.dtype)
        one = (lambda: LSTMState(zeros(), zeros())) if self.cell == "lstm" else zeros
        return tuple(one() for _ in range(self.n_layers))

    def _cell(self):
        cell = CELLS[self.cell]
        if self.cell != "rnn":
            return cell
        return cell._replace(forward=partial(cell.forward, activation=self.activation))

    def _forward(self, E_in, E_out, x, y, state, masks, chunk):
        """The whole network: loss(E_in, E_out, rest)."""
        rest = Rest.of(self.params, self.n_layers)
        o, last, hidden = hidden_forward(
            E_in, rest, x, state, masks, self._cell(), self.embed_scale
        )
        counted = inputs.counted_targets(y, self.padding_id)
        out = None if chunk else self._take_spare(y.size, len(E_out))
        loss, scored = softmax_loss_forward(o, E_out, rest.c, y, counted, chunk, out)
        return loss, last, (hidden, scored)

    def _backward(self, cache):
        """Back to both matrices: (de, the lookup's cache), dE_out, and the rest by name."""
        hidden, scored = cache
        do, dE_out, dc = softmax_loss_backward(1.0, scored)
        self._spare = scored.ds  # done with: the next step's scores go there
        de, looked, dcells, dP, dp = hidden_backward(do, hidden, self._cell())
        return (de, looked), dE_out, Rest(dcells, dP, dp, dc).named()

    def _logits(self, E_in, E_out, x, state):
        rest = Rest.of(self.params, self.n_layers)
        masks = no_masks(self.n_layers)
        o, last, _ = hidden_forward(E_in, rest, x, state, masks, self._cell(), self.embed_scale)
        return scores_forward(o, E_out, rest.c)[0], last

    def _state(self, state, batch_size):
        """A copy of the given state, checked; zeros for None."""
        zeros = self.initial_state(batch_size)
        if state is None:
            return zeros
        if not isinstance(state, tuple | list) or len(state) != self.n_layers:
            raise ValueError(
                f"state must be a tuple with one entry for each of the {self.n_layers} layers, as "
                f"initial_state returns it; got {inputs.describe(state)}"
            )
        return tuple(
            checked_state(f"state[{layer}]", given, zero)
            for layer, (given, zero) in enumerate(zip(state, zeros, strict=True))
        )

    def _draw_masks(self, rng, batch, steps):
        return draw_masks(rng, self.dropout, self._mask_shapes(batch, steps), self.dtype)

    def _check_masks(self, masks, batch, steps):
        if masks is None:
            return no_masks(self.n_layers)
        return check_masks(masks, self._mask_shapes(batch, steps), self.dtype)

    def _mask_shapes(self, batch, steps):
        return mask_shapes(batch, steps, self.d_embed, self.d_hidden, self.n_layers)


def rnn_lm_shapes(V, D, H, *, cell, n_layers, tied, projection, output_bias):
    """The shape of every parameter, by name, without a model."""
    G = CELLS[cell].gates
    E = {"E": (V, D)} if tied else {"E_in": (V, D), "E_out": (V, D if projection else H)}
    widths = [D] + [H] * (n_layers - 1)
    cells = [((G * H, below), (G * H, H), (G * H,)) for below in widths]
    P, p = ((D, H), (D,)) if projection else (None, None)
    return E | Rest(cells, P, p, (V,) if output_bias else None).named()


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


def checked_state(name, given, zero):
    """One layer's state, as a copy of the shape and kind of `zero`."""
    if not isinstance(zero, LSTMState):
        return inputs.array_of(name, given, zero.shape, zero.dtype)
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ValueError(f"{name} must be LSTMState(h, c), got {inputs.describe(given)}")
    parts = zip(LSTMState._fields, given, zero, strict=True)
    return LSTMState(*(inputs.array_of(f"{name}.{f}", g, z.shape, z.dtype) for f, g, z in parts))
