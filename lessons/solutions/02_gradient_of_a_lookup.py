"""Lesson 02: reference answers."""

import numpy as np


def lookup_backward_loop(de, x, V):
    B, T, D = de.shape
    dE = np.zeros((V, D))
    for b in range(B):
        for t in range(T):
            dE[x[b, t]] += de[b, t]
    return dE


def lookup_backward(de, x, V):
    dE = np.zeros((V, de.shape[-1]))
    np.add.at(dE, x, de)
    return dE


def zero_rows(x, V):
    return [i for i in range(V) if i not in x]


def lookup(x, E):
    return E[x]
