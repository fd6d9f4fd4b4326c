"""Lesson 18: reference answers."""

import numpy as np


def linear(x, W, b):
    def pullback(dy):
        return dy @ W, np.einsum("bth,btd->hd", dy, x), dy.sum(axis=(0, 1))

    return x @ W.T + b, pullback


def five_numbers(V, D, H, T):
    return V * V, D, V * D, D, T - 1
