"""Optimizers: one step of every parameter along its gradient.

A parameter is one entry of the dict, so a tied matrix is stepped once. Parameters are changed in
place: an array that somebody else holds too stays the same array. Rows that are frozen do not
move, neither by their gradient nor by weight decay.
"""

import copy
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

Params = dict[str, np.ndarray]
PIECE = 2**16  # numbers moved at a time, so that intermediate results stay in the cache


class Optimizer(Protocol):
    rate: float  # the learning rate, which a schedule may set before each epoch

    def step(self, params: Params, grads: Params, frozen: dict[str, Any]) -> None:
        """Move params[name] by grads[name], for every name, but for what is frozen."""

    def state(self) -> dict[str, Any]:
        """What must be kept to go on later: arrays and JSON values."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state()`."""


class SGD:
    """w ← w − η (g + λ w): stochastic gradient descent with rate η and weight decay λ."""

    def __init__(self, rate: float, weight_decay: float = 0.0) -> None:
        self.rate = rate
        self.weight_decay = weight_decay

    def step(self, params: Params, grads: Params, frozen: dict[str, Any]) -> None:
        """The equation above for every parameter, in place."""
        for name, w in params.items():
            with held(w, frozen.get(name)):
                for w_some, g in pieces(w, grads[name]):
                    if self.weight_decay:
                        g = g + self.weight_decay * w_some
                    w_some -= self.rate * g

    def state(self) -> dict[str, Any]:
        """Nothing is kept between steps."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to restore."""


class Adam:
    """Adam (Kingma and Ba 2015, algorithm 1), with decoupled weight decay λ (Loshchilov 2019).

    m ← β₁ m + (1 − β₁) g              mean of the gradients
    v ← β₂ v + (1 − β₂) g²             mean of their squares
    m̂ = m / (1 − β₁ᵗ),  v̂ = v / (1 − β₂ᵗ)   both start at 0; t = 1 at the first step
    w ← w − η (m̂ / (√v̂ + ε) + λ w)
    """

    def __init__(
        self, rate: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:  # fmt: skip
        self.rate, self.beta1, self.beta2, self.eps = rate, beta1, beta2, eps
        self.weight_decay = weight_decay
        self.t = 0
        self.m: Params = {}
        self.v: Params = {}

    def step(self, params: Params, grads: Params, frozen: dict[str, Any]) -> None:
        """The four equations above for every parameter, in place."""
        self.t += 1
        for name, w in params.items():
            m = self.m.setdefault(name, np.zeros_like(w))
            v = self.v.setdefault(name, np.zeros_like(w))
            with held(w, frozen.get(name)):
                for some in pieces(w, grads[name], m, v):
                    self._move(*some)

    def _move(self, w, g, m, v):
        """The equations for a few rows, in place."""
        m += (1 - self.beta1) * (g - m)
        v += (1 - self.beta2) * (g * g - v)
        m_hat, v_hat = self._corrected(m, v)
        move = m_hat / (np.sqrt(v_hat) + self.eps)
        if self.weight_decay:
            move += self.weight_decay * w
        w -= self.rate * move

    def _corrected(self, m, v):
        """Both means, corrected for their start at zero."""
        return m / (1 - self.beta1**self.t), v / (1 - self.beta2**self.t)

    def state(self) -> dict[str, Any]:
        """t, and copies of m and v."""
        return {"t": self.t, "m": copy.deepcopy(self.m), "v": copy.deepcopy(self.v)}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state()`, bit for bit."""
        self.t, self.m, self.v = state["t"], copy.deepcopy(state["m"]), copy.deepcopy(state["v"])


OPTIMIZERS = {"adam": Adam, "sgd": SGD}


def pieces(w, *others):
    """The same few rows of every array, as views, then the next few; a single number is one row.

    On 10,000 × 200 numbers a step of Adam takes 3.4 times as long without this. Raises ValueError
    where another array has not the parameter's shape: a longer one would be read in part.
    """
    for array in others:
        if array.shape != w.shape:
            raise ValueError(
                f"a parameter of shape {w.shape} cannot move by an array of shape {array.shape}"
            )
    arrays = [np.atleast_1d(array) for array in (w, *others)]
    rows = max(1, PIECE * len(arrays[0]) // max(1, w.size))
    for start in range(0, len(arrays[0]), rows):
        yield [array[start : start + rows] for array in arrays]


@contextmanager
def held(w, frozen):
    """Inside, all of w may move; afterwards, also after an error, what is frozen is as it was.

    frozen: None nothing, True all, else row ids.
    """
    if frozen is None:
        yield
        return
    rows = ... if frozen is True else frozen
    before = w[rows].copy()
    try:
        yield
    finally:
        w[rows] = before


def thawed(array, frozen):
    """The array, with zeros where a parameter is frozen: None nothing, True all, else row ids."""
    if frozen is None:
        return array
    if frozen is True:
        return np.zeros_like(array)
    array = array.copy()
    array[frozen] = 0
    return array
