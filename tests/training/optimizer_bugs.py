"""Wrong clipping and wrong optimizers, each with one bug that trains and looks well."""

import copy

import numpy as np

from tinytie.training.clipping import clip_by_global_norm, global_norm
from tinytie.training.optimizers import SGD, Adam, thawed


def clip_per_tensor(grads, max_norm, frozen=None):
    clipped = {n: clip_by_global_norm({n: g}, max_norm, frozen)[0][n] for n, g in grads.items()}
    return clipped, global_norm(grads)


def clip_before_freezing(grads, max_norm, frozen=None):
    clipped, norm = clip_by_global_norm(grads, max_norm)
    return clip_by_global_norm(clipped, None, frozen)[0], norm


def clip_in_float64(grads, max_norm, frozen=None):
    clipped, norm = clip_by_global_norm(grads, max_norm, frozen)
    return {name: np.float64(1.0) * g for name, g in clipped.items()}, norm


def clip_each_entry(grads, max_norm, frozen=None):
    return {n: np.clip(g, -max_norm, max_norm) for n, g in grads.items()}, global_norm(grads)


WRONG_CLIPPING = [
    clip_per_tensor, clip_before_freezing, clip_in_float64, clip_each_entry,
]  # fmt: skip


class StepsTwice(SGD):
    """As where a tied matrix is listed under two names."""

    def step(self, params, grads, frozen):
        super().step(params, grads, frozen)
        super().step({"E": params["E"]}, grads, frozen)


class DecaysTwice(SGD):
    """Decay in the gradient, and once more beside it."""

    def step(self, params, grads, frozen):
        decayed = {name: g + self.weight_decay * params[name] for name, g in grads.items()}
        super().step(params, decayed, frozen)


class MovesFrozenByDecay(SGD):
    """The gradient is masked, the decay is not."""

    def step(self, params, grads, frozen):
        masked = {name: thawed(g, frozen.get(name)) for name, g in grads.items()}
        super().step(params, masked, {})


class PromotesSGD(SGD):
    """A float64 scalar makes float32 parameters float64."""

    def step(self, params, grads, frozen):
        super().step(params, grads, frozen)
        for name in params:
            params[name] = np.float64(1.0) * params[name]


class ReplacesArrays(SGD):
    """The model goes on with new arrays; whoever held the old ones does not learn of it."""

    def step(self, params, grads, frozen):
        moved = {name: w.copy() for name, w in params.items()}
        super().step(moved, grads, frozen)
        params.update(moved)


class CountsFromZero(Adam):
    """t = 0 at the first step would divide by zero, so the bug is hidden by starting at 2."""

    def step(self, params, grads, frozen):
        if self.t == 0:
            self.t = 1
        super().step(params, grads, frozen)


class Uncorrected(Adam):
    """No bias correction."""

    def _corrected(self, m, v):
        return m, v


class CountsEveryTensor(Adam):
    """t grows with each parameter, not with each step."""

    def _move(self, w, g, m, v):
        super()._move(w, g, m, v)
        self.t += 1


class CoupledDecay(Adam):
    """Decay goes through the moments, where the gradient's size divides it out."""

    def step(self, params, grads, frozen):
        decayed = {name: g + self.weight_decay * params[name] for name, g in grads.items()}
        kept, self.weight_decay = self.weight_decay, 0.0
        super().step(params, decayed, frozen)
        self.weight_decay = kept


WRONG_SGD = [StepsTwice, DecaysTwice, MovesFrozenByDecay, PromotesSGD, ReplacesArrays]
WRONG_ADAM = [CountsFromZero, Uncorrected, CountsEveryTensor, CoupledDecay]


class Momentum(SGD):
    """v ← 0.9 v + g,  w ← w − η v: an optimizer as somebody outside would add it."""

    def __init__(self, rate):
        super().__init__(rate)
        self.v = {}

    def step(self, params, grads, frozen):
        for name, w in params.items():
            v = self.v.setdefault(name, np.zeros_like(w))
            v[...] = 0.9 * v + grads[name]
        super().step(params, self.v, frozen)

    def state(self):
        return {"v": copy.deepcopy(self.v)}

    def restore(self, state):
        self.v = copy.deepcopy(state["v"])


class ForgetsOnResume(Momentum):
    """The velocity starts at zero again."""

    def restore(self, state):
        pass


class SharesItsState(Momentum):
    """Training on changes the state that was saved."""

    def state(self):
        return {"v": self.v}


class UsesTheGradientAsBuffer(Momentum):
    """The velocity is written into the caller's array."""

    def step(self, params, grads, frozen):
        for name, g in grads.items():
            g += 0.9 * self.v.get(name, 0)
        SGD.step(self, params, grads, frozen)
        self.v = copy.deepcopy(grads)


class MovesUphill(Momentum):
    """The sign."""

    def step(self, params, grads, frozen):
        super().step(params, {name: -g for name, g in grads.items()}, frozen)


WRONG_OPTIMIZERS = [
    ForgetsOnResume, SharesItsState, UsesTheGradientAsBuffer, MovesUphill, PromotesSGD,
    ReplacesArrays, CountsEveryTensor,
]  # fmt: skip
