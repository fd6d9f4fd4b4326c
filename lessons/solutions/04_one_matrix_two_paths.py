"""Lesson 04: reference answers."""

import numpy as np

from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import softmax_loss_backward, softmax_loss_forward


def tied_backward(E, W, x, y):
    e, looked = embedding_forward(x, E)
    a, multiplied = linear_forward(e, W)
    h = np.tanh(a)
    _, scored = softmax_loss_forward(h, E, None, y)

    dh, dE_out, _ = softmax_loss_backward(1.0, scored)
    da = (1 - h * h) * dh
    de, _, _ = linear_backward(da, multiplied)
    dE_in = embedding_backward(de, looked)
    return dE_in + dE_out


def rejected(repeats):
    always = {1, 2, 3, 4}
    return always | {5} if repeats else always  # with no word twice, += loses nothing
