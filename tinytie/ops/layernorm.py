"""Layer normalization, after Ba, Kiros and Hinton 2016: each vector to mean 0 and variance 1."""

from typing import NamedTuple

import numpy as np

EPS = 1e-5  # inside the root, so that a constant vector does not divide by zero


class LayerNormCache(NamedTuple):
    x_hat: np.ndarray  # (..., D), the normalized x
    inv_std: np.ndarray  # (..., 1), 1 / σ
    gain: np.ndarray


def layernorm_forward(x, gain, shift):
    """y = gain ∘ x̂ + shift with x̂ = (x − μ) / σ, μ = mean(x), σ = √(mean((x − μ)²) + 1e-5).

    The means run over the last axis. x (..., D), gain and shift (D,); returns y (..., D).
    """
    x_hat = x - x.mean(axis=-1, keepdims=True)
    inv_std = 1 / np.sqrt(mean_product(x_hat, x_hat) + EPS)
    x_hat *= inv_std
    return gain * x_hat + shift, LayerNormCache(x_hat, inv_std, gain)


def layernorm_backward(dy, cache):
    """dx = (dx̂ − mean(dx̂) − x̂ mean(x̂ ∘ dx̂)) / σ with dx̂ = gain ∘ dy.

    Every entry of x moves μ and σ too. What it sends through μ is the first mean; what it sends
    through σ is the second. gain and shift sum over all the vectors that used them.
    dy (..., D); returns dx (..., D), dgain (D,), dshift (D,).
    """
    x_hat, inv_std, gain = cache
    dx_hat = gain * dy
    dx = dx_hat - dx_hat.mean(axis=-1, keepdims=True)
    dx -= x_hat * mean_product(x_hat, dx_hat)
    dx *= inv_std
    vectors = tuple(range(dy.ndim - 1))
    return dx, (dy * x_hat).sum(axis=vectors), dy.sum(axis=vectors)


def mean_product(a, b):
    """mean(a ∘ b) over the last axis, without the array a ∘ b. (..., D) -> (..., 1)"""
    return np.vecdot(a, b)[..., None] / a.shape[-1]
