"""Lesson 14: reference answers."""

import numpy as np

from tinytie.ops.linear import as_rows


def penalized_backward(do, h, P, strength):
    dh = do @ P
    dP = as_rows(do).T @ as_rows(h) + strength * P
    dp = as_rows(do).sum(axis=0)
    return dh, dP, dp


def clipped_step(E, dE, found, rate, max_norm):
    moving = np.where(found[:, np.newaxis], 0.0, dE)
    norm = np.linalg.norm(moving)
    if norm > max_norm:
        moving *= max_norm / norm
    return E - rate * moving
