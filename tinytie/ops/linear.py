"""The linear layer, y = W x + b on paper; y = x Wᵀ + b for the rows of x in code."""

from typing import NamedTuple

import numpy as np


class LinearCache(NamedTuple):
    x: np.ndarray
    W: np.ndarray
    has_bias: bool


def as_rows(x):
    """(B, T, D) -> (N, D): one matrix, so that a layer is one product instead of one a sentence."""
    return x.reshape(-1, x.shape[-1])


def linear_forward(x, W, b=None, out=None):
    """y = x Wᵀ + b. x (..., D), W (H, D), b (H,) or None; returns y (..., H).

    out (N, H): memory for y, as in NumPy; None takes new memory.
    """
    y = np.matmul(as_rows(x), W.T, out=out)
    if b is not None:
        y += b
    return y.reshape(*x.shape[:-1], len(W)), LinearCache(x, W, b is not None)


def linear_backward(dy, cache):
    """dx = dy W,  dW = dyᵀ x,  db = Σ dy: dW and db sum over all N rows that used them.

    dy (..., H); returns dx (..., D), dW (H, D), db (H,), or None for a bias that was not there.
    """
    x, W, has_bias = cache
    dy = as_rows(dy)
    dx = (dy @ W).reshape(x.shape)
    dW = dy.T @ as_rows(x)
    db = dy.sum(axis=0) if has_bias else None
    return dx, dW, db
