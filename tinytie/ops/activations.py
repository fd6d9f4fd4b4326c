"""Activations: each a pair, entry by entry. Where the slope follows from h = f(a), h is kept."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

GELU_SLOPE = math.sqrt(2 / math.pi)
GELU_CUBE = 0.044715


class Pair(NamedTuple):
    forward: Callable
    backward: Callable


def sigmoid(a):
    """σ(a) = 1 / (1 + exp(−a)), written as ½ + ½ tanh(a/2), which cannot overflow."""
    return 0.5 + 0.5 * np.tanh(0.5 * a)


class TanhCache(NamedTuple):
    h: np.ndarray


def tanh_forward(a):
    """h = tanh(a). Any shape."""
    h = np.tanh(a)
    return h, TanhCache(h)


def tanh_backward(dh, cache):
    """da = (1 − h²) ∘ dh."""
    h = cache.h
    return (1 - h * h) * dh


class ReluCache(NamedTuple):
    h: np.ndarray


def relu_forward(a):
    """h = max(a, 0). Any shape."""
    h = np.maximum(a, 0)
    return h, ReluCache(h)


def relu_backward(dh, cache):
    """da = dh where a > 0, and 0 elsewhere."""
    return (cache.h > 0) * dh


class GeluCache(NamedTuple):
    a: np.ndarray
    t: np.ndarray  # tanh(u)


def gelu_forward(a):
    """h = ½ a (1 + tanh(u)) with u = √(2/π) (a + 0.044715 a³), a smooth relu. Any shape.

    Source: Hendrycks and Gimpel 2016, the tanh form.
    """
    t = np.tanh(GELU_SLOPE * a * (1 + GELU_CUBE * a * a))
    return 0.5 * a * (1 + t), GeluCache(a, t)


def gelu_backward(dh, cache):
    """da = (½ (1 + tanh(u)) + ½ a (1 − tanh²(u)) u′) ∘ dh, u′ = √(2/π) (1 + 3 · 0.044715 a²)."""
    a, t = cache
    du = GELU_SLOPE * (1 + 3 * GELU_CUBE * a * a)
    return (0.5 * (1 + t) + 0.5 * a * (1 - t * t) * du) * dh


ACTIVATIONS = {
    "tanh": Pair(tanh_forward, tanh_backward),
    "relu": Pair(relu_forward, relu_backward),
    "gelu": Pair(gelu_forward, gelu_backward),
}
