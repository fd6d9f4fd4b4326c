"""Optimizers: one step of every parameter along its gradient.

A parameter is one entry of the dict, so a tied matrix is stepped once. Parameters are changed in
place: an array that somebody else holds too stays the same array. Rows that are frozen do not
move, neither by their gradient nor by weight decay.
"""

import copy
from collections.abc import Callable, Container
from functools import partial
from typing import Any, Protocol

import numpy as np

from tinytie.training.moving import PIECE, Params, held, pieces


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


class Momentum:
    """v ← β v + g,  w ← w − η v: gradient descent that keeps a share β of its velocity.

    Source: Polyak 1964, in the form of Sutskever et al. 2013 with the rate outside of v.
    """

    def __init__(self, rate: float, beta: float = 0.9) -> None:
        self.rate, self.beta = rate, beta
        self.v: Params = {}

    def step(self, params: Params, grads: Params, frozen: dict[str, Any]) -> None:
        """Both equations for every parameter, in place."""
        for name, w in params.items():
            v = self.v.setdefault(name, np.zeros_like(w))
            with held(w, frozen.get(name)):
                for w_some, g, v_some in pieces(w, grads[name], v):
                    v_some *= self.beta
                    v_some += g
                    w_some -= self.rate * v_some

    def state(self) -> dict[str, Any]:
        """A copy of v."""
        return {"v": copy.deepcopy(self.v)}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state()`, bit for bit."""
        self.v = copy.deepcopy(state["v"])


class Adam:
    """Adam (Kingma and Ba 2015, algorithm 1), with decoupled weight decay λ (Loshchilov 2019).

    m ← β₁ m + (1 − β₁) g              mean of the gradients
    v ← β₂ v + (1 − β₂) g²             mean of their squares
    m̂ = m / (1 − β₁ᵗ),  v̂ = v / (1 − β₂ᵗ)   both start at 0; t = 1 at the first step
    w ← w − η (m̂ / (√v̂ + ε) + λ w)

    coupled: names of matrices whose rows all share one v̂, its mean over the rows: Coupled Adam
    (Stollenwerk and Stollenwerk 2025, arXiv 2502.08441), meant for token embeddings.
    """

    def __init__(
        self, rate: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8,
        weight_decay: float = 0.0, coupled: Container[str] = (),
    ) -> None:  # fmt: skip
        self.rate, self.beta1, self.beta2, self.eps = rate, beta1, beta2, eps
        self.weight_decay, self.coupled = weight_decay, coupled
        self.t = 0
        self.m: Params = {}
        self.v: Params = {}

    def step(self, params: Params, grads: Params, frozen: dict[str, Any]) -> None:
        """The four equations above for every parameter, in place."""
        self.t += 1
        for name, w in params.items():
            m = self.m.setdefault(name, np.zeros_like(w))
            v = self.v.setdefault(name, np.zeros_like(w))
            coupled = name in self.coupled
            with held(w, frozen.get(name)):
                size = w.size if coupled else PIECE
                for w_some, g, m_some, v_some in pieces(w, grads[name], m, v, size=size):
                    self._move(w_some, g, m_some, v_some, coupled)

    def _move(self, w, g, m, v, coupled=False):
        """The equations for a few rows, in place."""
        m += (1 - self.beta1) * (g - m)
        v += (1 - self.beta2) * (g * g - v)
        m_hat, v_hat = self._corrected(m, v)
        if coupled:
            v_hat = v_hat.mean(axis=0)
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


EMBEDDINGS = ("E", "E_in", "E_out")
OPTIMIZERS: dict[str, Callable[[float], Any]] = {
    "adam": Adam, "momentum": Momentum, "sgd": SGD,
    "coupled-adam": partial(Adam, coupled=EMBEDDINGS),
}  # fmt: skip
