"""Lesson 01: reference answers."""

import numpy as np


def onehot(x, V):
    return (x[..., np.newaxis] == np.arange(V)).astype(float)


def embedding_parameters(V, D, tied):
    matrices = 1 if tied else 2
    return matrices * V * D


def share_saved(V, D, other):
    return V * D / (2 * V * D + other)
