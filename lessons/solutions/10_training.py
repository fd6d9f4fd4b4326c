"""Lesson 10: reference answers."""

import numpy as np


def equal_budget(V, D):
    def parameters(width, matrices):
        return matrices * V * width + 2 * width**2 + width + V

    budget = parameters(D, 1)
    return min(range(1, D + 1), key=lambda width: abs(parameters(width, 2) - budget))


def true_at_half():
    return {1, 4}  # less text is harder for all, and hardest for who learns by heart


def adam(w, dw, m, v, t, rate):
    m = 0.9 * m + 0.1 * dw
    v = 0.999 * v + 0.001 * dw**2
    w = w - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w, m, v
