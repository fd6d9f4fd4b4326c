"""Lesson 06: reference answers."""

import numpy as np

from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.softmax import softmax_loss_backward, softmax_loss_forward


def derivative_of_product(t, uses):
    return sum(t ** (uses - 1) for _ in range(uses))


def three_uses(E, W, U, x, y, z):
    e, looked = embedding_forward(x, E)
    h0, started = embedding_forward(z, E)
    h = np.tanh(e @ W.T + h0 @ U.T)
    _, scored = softmax_loss_forward(h, E, None, y)

    dh, dE_out, _ = softmax_loss_backward(1.0, scored)
    da = (1 - h * h) * dh
    de, dh0 = da @ W, da @ U
    dE_in = embedding_backward(de, looked)
    dE_start = embedding_backward(dh0, started)
    return dE_in + dE_start + dE_out
