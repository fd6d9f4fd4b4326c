"""Lesson 07: reference answers."""

import numpy as np


def slope_from_h(name, h):
    if name == "tanh":
        return 1 - h**2
    if name == "sigmoid":
        return h * (1 - h)
    return (h > 0).astype(float)


def step_backward(dh, e, h_prev, h, W, U):
    da = (1 - h**2) * dh
    return da @ W, da @ U, da.T @ e, da.T @ h_prev, da.sum(axis=0)


def step(e, h_prev, W, U, b):
    return np.tanh(e @ W.T + h_prev @ U.T + b)
