"""Dropout with inverted scaling: a mask of 0 and 1/(1 − p), drawn once and then a constant."""

from typing import NamedTuple

import numpy as np


class DropoutCache(NamedTuple):
    mask: np.ndarray | None


def dropout_mask(rng, shape, p, dtype):
    """Each entry is 0 with probability p and 1/(1 − p) otherwise, so that its mean is 1."""
    return ((rng.random(shape) >= p) / (1 - p)).astype(dtype)


def dropout_forward(x, mask=None):
    """y = m ∘ x. x (B, T, D), mask (B, T or 1, D); None drops nothing and returns x itself."""
    return (x if mask is None else x * mask), DropoutCache(mask)


def dropout_backward(dy, cache):
    """dx = m ∘ dy, with the same mask as the forward pass. dy (B, T, D); returns dx (B, T, D)."""
    return dy if cache.mask is None else dy * cache.mask
