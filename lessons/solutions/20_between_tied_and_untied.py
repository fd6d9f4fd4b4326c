"""Lesson 20: reference answers."""

import numpy as np


def mixture_backward(pi, y_hats, y):
    N, _, V = y_hats.shape
    at_target = pi * y_hats[np.arange(N), :, y]  # π_k ŷ_k[y], (N, K)
    r = at_target / at_target.sum(axis=1, keepdims=True)
    onehot = np.eye(V)[y][:, np.newaxis]  # (N, 1, V)
    return (pi - r) / N, r[..., np.newaxis] * (y_hats - onehot) / N


def share_that_passes(ds, E):
    Q, _ = np.linalg.qr(E)
    return np.sum((ds @ Q) ** 2) / np.sum(ds**2)
