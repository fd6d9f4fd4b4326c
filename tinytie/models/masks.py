"""Dropout in a model: where it acts, and the masks that are drawn or replayed there."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tinytie.models import inputs
from tinytie.ops.dropout import dropout_mask
from tinytie.ops.leaves import map_leaves


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


PLACES = Dropout._fields[:-1]


class Masks(NamedTuple):
    """The masks, each (B, T, width), or (B, 1, width) where variational; None drops nothing."""

    embedding: Any
    layers: tuple  # one for each gap between two layers
    state: tuple  # one for each layer
    output: Any

    @property
    def below(self):
        """What acts on the input of each layer: the embedding's mask, then those between layers."""
        return (self.embedding, *self.layers)


@dataclass(frozen=True)
class Drop:
    """One place where dropout acts: the share set to zero, and the width of what it acts on."""

    share: float
    width: int
    variational: bool = False  # one mask for all time steps

    def shape(self, batch, steps):
        """The shape of the mask."""
        return batch, 1 if self.variational else steps, self.width


def as_dropout(dropout):
    """A `Dropout`; a float is the share of the embedding, between layers, and of the output."""
    if not isinstance(dropout, Dropout | list | tuple):
        dropout = Dropout(embedding=dropout, layers=dropout, output=dropout)
    if len(dropout) > len(Dropout._fields):
        raise ValueError(f"dropout has {len(dropout)} parts; Dropout has {Dropout._fields}")
    given = Dropout(*dropout)
    checked = {
        place: inputs.share(f"dropout of the {place}", getattr(given, place)) for place in PLACES
    }
    return Dropout(**checked, variational=inputs.flag("variational", given.variational))


def no_masks(drops):
    """Masks that drop nothing."""
    return map_leaves(lambda drop: None, drops)


def draw_masks(drops, rng, batch_and_steps, dtype):
    """New masks for nested tuples of `Drop`, drawn in their order; None where the share is 0."""

    def draw(drop):
        shape = drop.shape(*batch_and_steps)
        return dropout_mask(rng, shape, drop.share, dtype) if drop.share > 0 else None

    return map_leaves(draw, drops)


def check_masks(masks, drops, batch_and_steps, dtype):
    """The masks to replay, each None or of its shape, where T may be 1. None: no dropout."""
    if masks is None:
        return no_masks(drops)

    def check(mask, drop):
        if mask is None:
            return None
        batch, steps = batch_and_steps
        one = (batch, 1, drop.width)  # for all time steps
        shape = one if np.shape(mask) == one else (batch, steps, drop.width)
        return inputs.array_of("a mask", mask, shape, dtype)

    if not same_nesting(masks, drops):
        raise TypeError(
            f"masks must be the {type(drops).__name__} that loss_and_grads of a model with as many "
            f"layers returns; got {inputs.describe(masks)}"
        )
    return map_leaves(check, masks, drops)


def same_nesting(one, two):
    """Whether two nestings of tuples have the same kinds and lengths."""
    if not isinstance(two, tuple):
        return not isinstance(one, tuple)
    fits = type(one) is type(two) and len(one) == len(two)
    return fits and all(map(same_nesting, one, two))
