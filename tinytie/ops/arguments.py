"""What the arguments of an operation may be, each with a way to draw one of the right shape.

An `Array` is differentiable, and so are `Parts`; all else is constant.
"""

from typing import Any, NamedTuple

import numpy as np

from tinytie.ops.attention import KeysValues
from tinytie.ops.dropout import dropout_mask


class Sizes(NamedTuple):
    """B batch, T time steps, V vocabulary, D embedding width, H hidden width."""

    B: int
    T: int
    V: int
    D: int
    H: int


class Array(NamedTuple):
    """A differentiable argument: standard normal numbers of a shape such as "B T 4H"."""

    shape: str

    def sample(self, rng, sizes):
        return rng.standard_normal(dimensions(self.shape, sizes))


class Held(NamedTuple):
    """An array held constant: standard normal numbers of a shape."""

    shape: str

    def sample(self, rng, sizes):
        return rng.standard_normal(dimensions(self.shape, sizes))


class Parts(NamedTuple):
    """A state of a cell: a NamedTuple of its kind, each part of this shape."""

    kind: Any
    shape: str

    def sample(self, rng, sizes):
        shape = (len(self.kind._fields), *dimensions(self.shape, sizes))
        return self.kind(*rng.standard_normal(shape))


class Past(NamedTuple):
    """The keys and values of earlier places, constant, each of this shape."""

    shape: str

    def sample(self, rng, sizes):
        return KeysValues(*rng.standard_normal((2, *dimensions(self.shape, sizes))))


class Ids(NamedTuple):
    """Token ids below V, constant, with one token twice inside the first step where B >= 2."""

    shape: str

    def sample(self, rng, sizes):
        ids = rng.integers(sizes.V, size=dimensions(self.shape, sizes))
        ids[: min(2, len(ids)), 0] = ids[0, 0]
        return ids


class Mask(NamedTuple):
    """A dropout mask of 0 and 2, constant; each row drops something and keeps something."""

    shape: str

    def sample(self, rng, sizes):
        mask = dropout_mask(rng, dimensions(self.shape, sizes), 0.5, np.float64)
        mask[..., 0], mask[..., -1] = 0, 2
        return mask


class Counted(NamedTuple):
    """Which targets count, constant; the first always does, so that their mean exists."""

    shape: str

    def sample(self, rng, sizes):
        counted = rng.random(dimensions(self.shape, sizes)) < 0.7
        counted[0, 0] = True
        return counted


class Valid(NamedTuple):
    """Which places of a row are words and which its padding, constant: words first, at least one.

    The first row is full, and where B >= 2 and there are places enough the second is not.
    """

    shape: str

    def sample(self, rng, sizes):
        rows, steps = dimensions(self.shape, sizes)
        lengths = rng.integers(1, steps + 1, rows)
        lengths[0], lengths[1:2] = steps, max(1, steps - 1)
        return np.arange(steps) < lengths[:, None]


class Constant(NamedTuple):
    """A constant given as it is: an option, a number, or None for an array left out."""

    value: Any

    def sample(self, rng, sizes):
        return self.value


def dimensions(shape, sizes):
    """ "B T 4H" -> (B, T, 4 * H); a word that is only a number stands for itself."""
    words = [(word.rstrip("BTVDH"), word.lstrip("0123456789")) for word in shape.split()]
    return tuple(int(n or 1) * (getattr(sizes, letter) if letter else 1) for n, letter in words)
