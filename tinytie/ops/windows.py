"""Windows: the vectors of the last n words, side by side, at every place."""

from typing import NamedTuple

import numpy as np


class WindowsCache(NamedTuple):
    n: int
    D: int


def windows_forward(e, past):
    """w_t = [e_{t−n+1}; …; e_t]: the word at t last, the n − 1 before it first.

    e (B, T, D), past (B, n − 1, D) the vectors before the first; returns w (B, T, n·D).
    """
    n, (_, T, D) = past.shape[1] + 1, e.shape
    row = np.concatenate([past, e], axis=1)
    return np.concatenate([row[:, k : k + T] for k in range(n)], axis=-1), WindowsCache(n, D)


def windows_backward(dw, cache):
    """de_t = the sum of its parts of dw_t … dw_{t+n−1}: each vector is in n windows.

    dw (B, T, n·D); returns de (B, T, D), dpast (B, n − 1, D).
    """
    n, D = cache
    B, T, _ = dw.shape
    drow = np.zeros((B, n - 1 + T, D), dw.dtype)
    for k in range(n):
        drow[:, k : k + T] += dw[:, :, k * D : (k + 1) * D]  # part k of each window
    return drow[:, n - 1 :], drow[:, : n - 1]
