"""Lesson 03: reference answers."""

import numpy as np

from tinytie.ops.softmax import cross_entropy_forward, softmax


def inputs_and_targets(words):
    return words[:-1], words[1:]


def cross_entropy_backward(s, y):
    N = len(y)
    ds = softmax(s)
    ds[np.arange(N), y] -= 1
    return ds / N


def mean_loss(s, y):
    loss, _ = cross_entropy_forward(s, y)  # it takes the scores, and does the softmax itself
    return loss
