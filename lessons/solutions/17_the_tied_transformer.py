"""Lesson 17: reference answers."""

import numpy as np

from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import softmax, softmax_loss_backward, softmax_loss_forward


def causal_weights(q, k):
    T, d_k = q.shape
    past = np.tri(T, dtype=bool)
    return softmax(np.where(past, q @ k.T / np.sqrt(d_k), -np.inf))


def scaled_backward(E, W, x, y):
    e, looked = embedding_forward(x, E, np.sqrt(E.shape[1]))  # it keeps the factor
    a, multiplied = linear_forward(e, W)
    h = np.tanh(a)
    _, scored = softmax_loss_forward(h, E, None, y)

    dh, dE_out, _ = softmax_loss_backward(1.0, scored)
    de, _, _ = linear_backward((1 - h * h) * dh, multiplied)
    return embedding_backward(de, looked) + dE_out
