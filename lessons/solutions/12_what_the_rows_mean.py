"""Lesson 12: reference answers."""

import numpy as np


def cosines(E):
    unit = E / np.linalg.norm(E, axis=1, keepdims=True)
    return unit @ unit.T


def share_in_class(E, classes, k):
    near = cosines(E)
    np.fill_diagonal(near, -np.inf)  # a row is not its own neighbour
    nearest = np.argsort(-near, axis=1)[:, :k]
    return np.mean(classes[nearest] == classes[:, np.newaxis])


def same_order(A, B):
    pairs = np.triu_indices(len(A), k=1)
    ranks = [np.argsort(np.argsort(cosines(E)[pairs])) for E in (A, B)]
    return np.corrcoef(*ranks)[0, 1]
