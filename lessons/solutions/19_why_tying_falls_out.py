"""Lesson 19: reference answers."""

import numpy as np


def softmax(s):
    exp = np.exp(s - s.max(axis=1, keepdims=True))
    return exp / exp.sum(axis=1, keepdims=True)


def soft_targets(L, y, tau):
    return softmax(L[y] @ L.T / tau)


def augmented_ds(s, y, y_tilde, alpha, tau):
    onehot = np.eye(s.shape[1])[y]
    cross_entropy = softmax(s) - onehot
    divergence = (softmax(s / tau) - y_tilde) / tau
    return (cross_entropy + alpha * divergence) / len(s)
