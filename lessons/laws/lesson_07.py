"""Lesson 07: one step of a recurrent cell, backward from what the forward kept."""

from collections.abc import Callable
from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import law_of_gradient, law_of_value

B, D, H = 3, 4, 5
FUNCTIONS: dict[str, Callable] = {
    "tanh": np.tanh,
    "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "relu": lambda a: np.maximum(a, 0),
}


def slope_law(answer):
    """The slope at a, from h = f(a) alone, must be the difference quotient of f."""
    a = answer.rng.uniform(0.1, 2.5, 6) * [1, -1, 1, -1, 1, -1]
    for name, f in FUNCTIONS.items():
        got = answer.array(a.shape, name=name, h=f(a))
        numeric = (f(a + 1e-5) - f(a - 1e-5)) / 2e-5
        if np.allclose(got, numeric, atol=1e-8):
            continue
        for mistake, formula in SLOPES.items():
            if np.allclose(got, formula(f(a)), atol=1e-8):
                raise Wrong(f"{name}: {mistake}")
        if name == "tanh" and np.allclose(got, 1 - np.tanh(f(a)) ** 2):
            raise Wrong("tanh: h already is tanh(a), and this takes tanh once more")
        raise Wrong(
            f"{name}: at a = {a[0]:.6f} the slope is {numeric[0]:.6f}, yours is {got[0]:.6f}"
        )


SLOPES: dict[str, Callable] = {
    "this is the slope of tanh": lambda h: 1 - h**2,
    "this is the slope of the sigmoid": lambda h: h * (1 - h),
    "1 − h is not the slope; mind the square, or the second factor": lambda h: 1 - h,
    "this is h itself, not the slope": lambda h: h,
    "this is 1 everywhere": np.ones_like,
}


def case(rng):
    """Numbers for one step, with B, D and H all different."""
    shapes = {"e": (B, D), "h_prev": (B, H), "W": (H, D), "U": (H, H), "b": (H,)}
    arrays = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    return arrays, rng.standard_normal((B, H))


def step_loss(arrays, dh):
    """A loss whose gradient with respect to h is dh."""
    e, h_prev, W, U, b = arrays.values()
    return float(np.sum(dh * np.tanh(e @ W.T + h_prev @ U.T + b)))


def step_law(answer):
    """Each of the five results is the derivative of the loss with respect to its argument."""
    arrays, dh = case(answer.rng)
    e, h_prev, W, U, b = arrays.values()
    h = np.tanh(e @ W.T + h_prev @ U.T + b)
    shapes = {f"d{name}": array.shape for name, array in arrays.items()}
    got = answer.arrays(shapes, dh=dh, e=e, h_prev=h_prev, h=h, W=W, U=U)
    judge_step(got, arrays, h, dh)


def judge_step(got, arrays, h, dh, prefix="", first_state="h_prev"):
    loss = partial(step_loss, arrays, dh)
    for name in ("b", "W", "U", "e", "h_prev"):  # b first: it shows da, and nothing else
        result = f"{prefix}d{first_state if name == 'h_prev' else name}"
        law_of_gradient(
            got[f"d{name}"], loss, arrays[name], partial(mistakes, arrays, h, dh, name), name=result
        )


def mistakes(arrays, h, dh, name):
    """For the gradient of this argument, sentence -> what the mistake would give."""
    e, h_prev, W, U, _ = arrays.values()
    das = {
        "the slope of tanh, 1 − h², is missing": dh,
        "the slope is taken at a: it is 1 − h², and h = tanh(a)": (1 - np.arctanh(h) ** 2) * dh,
        "1 + h² is not the slope of tanh: the sign of the square": (1 + h**2) * dh,
        "the slope is there twice": (1 - h**2) ** 2 * dh,
        "the slope is taken at the previous h": (1 - h_prev**2) * dh,
        "1 − h is not the slope of tanh: the square is missing": (1 - h) * dh,
        "this is the slope of the sigmoid, h (1 − h); the cell has tanh": h * (1 - h) * dh,
        "h already is tanh(a), and this takes tanh once more": (1 - np.tanh(h) ** 2) * dh,
    }
    da = (1 - h**2) * dh
    mean = "the mean over the batch is taken; every row that used it adds"
    first = "only the first row of the batch is there; every row that used it adds"
    of: dict[str, dict] = {argument: {} for argument in arrays}
    for said, wrong_da in das.items():
        of["b"][said] = wrong_da.sum(axis=0)
    of["b"] |= {mean: da.mean(axis=0), first: da[0]}
    of["W"] |= {mean: da.T @ e / B, first: np.outer(da[0], e[0])}
    of["W"]["the slope of tanh is missing here"] = dh.T @ e
    of["U"] |= {
        "it meets the new h; in the forward U met the previous one": da.T @ h,
        "it is transposed: row i of dU belongs to da_i": h_prev.T @ da,
        "the slope of tanh is missing here": dh.T @ h_prev,
        mean: da.T @ h_prev / B,
    }
    of["e"] |= {"the slope of tanh is missing here": dh @ W}
    of["h_prev"] |= {
        "U is transposed: forward h_prev Uᵀ, so backward da U": da @ U.T,
        "the slope of tanh is missing here": dh @ U,
    }
    return of[name]


def forward_law(answer):
    """h = tanh(W e + U h_prev + b)."""
    arrays, _ = case(answer.rng)
    e, h_prev, W, U, b = arrays.values()
    a = e @ W.T + h_prev @ U.T + b
    mistakes = {
        "tanh is missing: this is W e + U h_prev + b": a,
        "the bias b is missing": np.tanh(a - b),
        "the previous state is missing: add U h_prev": np.tanh(e @ W.T + b),
        "the input is missing: add W e": np.tanh(h_prev @ U.T + b),
        "U is transposed: for rows, U h_prev is h_prev @ U.T": np.tanh(e @ W.T + h_prev @ U + b),
        "tanh is taken twice": np.tanh(np.tanh(a)),
        "this is the sigmoid; the cell has tanh": 1 / (1 + np.exp(-a)),
        "this is relu; the cell has tanh": np.maximum(a, 0),
        "tanh is taken of each part; it is taken of their sum": np.tanh(e @ W.T)
        + np.tanh(h_prev @ U.T + b),
        "b stands outside of tanh": np.tanh(a - b) + b,
        "the bias is subtracted": np.tanh(a - 2 * b),
    }
    law_of_value(answer.array((B, H), **arrays), np.tanh(a), mistakes)


EXERCISES = [
    Exercise("slope_from_h", slope_law),
    Exercise("step_backward", step_law),
    Exercise("step", forward_law),
]
