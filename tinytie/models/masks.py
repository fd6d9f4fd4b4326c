"""Where dropout acts in a recurrent language model, and the masks it draws there."""

from typing import Any, NamedTuple

import numpy as np

from tinytie.models import inputs
from tinytie.ops.dropout import dropout_mask


class Dropout(NamedTuple):
    """The share of entries set to zero at each of four places, each in [0, 1).

    embedding: on e_t, below the first layer; layers: on h_t between two layers; state: on h_{t−1}
    where it enters U; output: on h_t above the last layer. variational: one mask for all time
    steps (Gal and Ghahramani 2016), otherwise a new one at each step.
    """

    embedding: float = 0.0
    layers: float = 0.0
    state: float = 0.0
    output: float = 0.0
    variational: bool = False


class Masks(NamedTuple):
    """The masks, each (B, T, width), or (B, 1, width) where variational; None drops nothing."""

    embedding: Any
    layers: tuple  # one a gap between two layers
    state: tuple  # one a layer
    output: Any

    @property
    def below(self):
        """What acts on the input of each layer: the embedding's mask, then those between layers."""
        return (self.embedding, *self.layers)


def as_dropout(dropout):
    """A `Dropout`; a float is the share of the embedding, between layers, and of the output."""
    if not isinstance(dropout, Dropout | list | tuple):
        dropout = Dropout(embedding=dropout, layers=dropout, output=dropout)
    if len(dropout) > len(Dropout._fields):
        raise ValueError(f"dropout has {len(dropout)} parts; Dropout has {Dropout._fields}")
    given = Dropout(*dropout)
    return Dropout(
        inputs.share("dropout of the embedding", given.embedding),
        inputs.share("dropout of the layers", given.layers),
        inputs.share("dropout of the state", given.state),
        inputs.share("dropout of the output", given.output),
        inputs.flag("variational", given.variational),
    )


def no_masks(n_layers):
    """Masks that drop nothing."""
    return Masks(None, (None,) * (n_layers - 1), (None,) * n_layers, None)


def mask_shapes(batch, steps, d_embed, d_hidden, n_layers):
    """The shape of every mask, in the same structure."""
    e, h = (batch, steps, d_embed), (batch, steps, d_hidden)
    return Masks(e, (h,) * (n_layers - 1), (h,) * n_layers, h)


def draw_masks(rng, dropout, shapes, dtype):
    """New masks of these shapes, drawn in a fixed order: embedding, layers, state, output."""

    def draw(p, shape):
        batch, steps, width = shape
        shape = (batch, 1 if dropout.variational else steps, width)
        return dropout_mask(rng, shape, p, dtype) if p > 0 else None

    return Masks(
        draw(dropout.embedding, shapes.embedding),
        tuple(draw(dropout.layers, shape) for shape in shapes.layers),
        tuple(draw(dropout.state, shape) for shape in shapes.state),
        draw(dropout.output, shapes.output),
    )


def check_masks(masks, shapes, dtype):
    """The masks to replay, each None or of its shape, in the model's dtype; T may be 1."""
    if not isinstance(masks, Masks):
        raise TypeError(
            "masks must be the Masks that loss_and_grads returns, got " + inputs.describe(masks)
        )
    if len(masks.layers) != len(shapes.layers) or len(masks.state) != len(shapes.state):
        raise ValueError(
            f"masks are of {len(masks.state)} layers, but the model has {len(shapes.state)}"
        )

    def check(mask, shape):
        if mask is None:
            return None
        batch, _, width = shape
        one = (batch, 1, width)  # for all time steps
        return inputs.array_of("a mask", mask, one if np.shape(mask) == one else shape, dtype)

    return Masks(
        check(masks.embedding, shapes.embedding),
        tuple(map(check, masks.layers, shapes.layers)),
        tuple(map(check, masks.state, shapes.state)),
        check(masks.output, shapes.output),
    )
