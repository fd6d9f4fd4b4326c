"""GELU in its tanh form, after Hendrycks and Gimpel 2016: a smooth relu."""

import math
from typing import NamedTuple

import numpy as np

SLOPE = math.sqrt(2 / math.pi)
CUBE = 0.044715


class GeluCache(NamedTuple):
    a: np.ndarray
    t: np.ndarray  # tanh(u)


def gelu_forward(a):
    """h = ½ a (1 + tanh(u)) with u = √(2/π) (a + 0.044715 a³). Any shape."""
    t = np.tanh(SLOPE * a * (1 + CUBE * a * a))
    return 0.5 * a * (1 + t), GeluCache(a, t)


def gelu_backward(dh, cache):
    """da = dh ∘ (½ (1 + tanh(u)) + ½ a (1 − tanh²(u)) u′) with u′ = √(2/π) (1 + 3 · 0.044715 a²).

    dh like a; returns da.
    """
    a, t = cache
    du = SLOPE * (1 + 3 * CUBE * a * a)
    return dh * (0.5 * (1 + t) + 0.5 * a * (1 - t * t) * du)
