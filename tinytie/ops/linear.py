"""The linear layer, y = W x + b on paper; y = x Wᵀ + b for the rows of x in code."""

from typing import NamedTuple

import numpy as np


class LinearCache(NamedTuple):
    x: np.ndarray
    W: np.ndarray | None
    has_bias: bool


def as_rows(x):
    """(B, T, D) -> (N, D): one matrix, so that a layer is one product, not one per sentence."""
    return x.reshape(-1, x.shape[-1])


def linear_forward(x, W=None, b=None):
    """y = x Wᵀ + b. x (..., D), W (H, D), b (H,); returns y (..., H). Without W, y = x + b."""
    y = x if W is None else (as_rows(x) @ W.T).reshape(*x.shape[:-1], len(W))
    if b is not None:
        y = np.add(y, b, out=None if W is None else y)
    return y, LinearCache(x, W, b is not None)


def linear_backward(dy, cache):
    """dx = dy W,  dW = dyᵀ x,  db = Σ dy: dW and db sum over all N rows that used them.

    dy (..., H); returns dx (..., D), dW (H, D), db (H,); None for a W or b that was not there.
    """
    x, W, has_bias = cache
    rows = as_rows(dy)
    db = rows.sum(axis=0) if has_bias else None
    if W is None:
        return dy, None, db
    return (rows @ W).reshape(x.shape), rows.T @ as_rows(x), db
