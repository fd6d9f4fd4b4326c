"""Lesson 03: reference answers."""

import numpy as np

from tinytie.ops.softmax import cross_entropy_forward


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


def softmax(s):
    exps = np.exp(s - s.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def scores(h, E, c):
    return h @ E.T + c


def scores_backward(ds, h, E):
    return ds @ E, ds.T @ h, ds.sum(axis=0)


def cross_entropy(s, y):
    top = s.max(axis=-1, keepdims=True)
    log_sums = np.log(np.exp(s - top).sum(axis=-1)) + top[:, 0]
    return np.mean(log_sums - s[np.arange(len(y)), y])
