"""Activations: the function f and its slope f′, written with the value h = f(a) that is kept."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Activation(NamedTuple):
    f: Callable
    slope: Callable


def relu(a):
    """max(a, 0)"""
    return np.maximum(a, 0)


def sigmoid(a):
    """1 / (1 + exp(−a)), written as ½ + ½ tanh(a/2), which cannot overflow."""
    return 0.5 + 0.5 * np.tanh(0.5 * a)


ACTIVATIONS = {
    "tanh": Activation(np.tanh, lambda h: 1 - h * h),
    "relu": Activation(relu, lambda h: (h > 0).astype(h.dtype)),
}
