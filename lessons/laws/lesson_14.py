"""Lesson 14: a projection with a penalty, and a clipped step around frozen rows."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import law_of_gradient

B, T, D, H = 2, 3, 4, 5
STRENGTH = 0.3


def objective(arrays, do):
    """A loss whose gradient with respect to o is do, and the penalty."""
    h, P, p = arrays.values()
    return float(np.sum(do * (h @ P.T + p)) + STRENGTH / 2 * np.sum(P * P))


def penalized_law(answer):
    """Each result is the derivative of the objective with respect to its argument."""
    rng = answer.rng
    shapes = {"h": (B, T, H), "P": (D, H), "p": (D,)}
    arrays = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    do = rng.standard_normal((B, T, D))
    results = {f"d{name}": shape for name, shape in shapes.items()}
    got = answer.arrays(results, do=do, h=arrays["h"], P=arrays["P"], strength=STRENGTH)
    loss = partial(objective, arrays, do)
    for name, array in arrays.items():
        suspects = partial(projection_mistakes, arrays, do, name)
        law_of_gradient(got[f"d{name}"], loss, array, suspects, name=f"d{name}")


def projection_mistakes(arrays, do, name):
    """For the gradient of this argument, sentence -> what the mistake would give."""
    h, P, p = arrays.values()
    dP, dp = np.einsum("btd,bth->dh", do, h), do.sum(axis=(0, 1))
    of: dict[str, dict] = {argument: {} for argument in arrays}
    of["h"] = {"P's penalty is no matter of h": do @ (P + STRENGTH * P)}
    of["P"] = {
        "the penalty is missing: its gradient is strength · P": dP,
        "the penalty's ½ is forgotten, or its 2: the derivative of ½ P² is P": dP
        + 2 * STRENGTH * P,
        "the penalty's derivative has no ½ left: ½ · 2 P is P": dP + STRENGTH / 2 * P,
        "the penalty has the wrong sign": dP - STRENGTH * P,
        "this is the gradient of the penalty alone": STRENGTH * P,
        "the penalty itself is added, a number, in place of its derivative": dP
        + STRENGTH / 2 * np.sum(P * P),
        "this is the gradient of strength · ‖P‖; the penalty is ½ · strength · ΣP²": dP
        + STRENGTH * P / np.linalg.norm(P),
        "the penalty is there once for every place; the objective has it once": dP
        + B * T * STRENGTH * P,
        "the penalty is divided by the number of places; the objective is not": dP
        + STRENGTH * P / (B * T),
        "the mean over the places is taken; every place that used P adds": dP / (B * T)
        + STRENGTH * P,
    }
    of["p"] = {
        "p is penalized too, and must not be": dp + STRENGTH * p,
        "the mean over the places is taken; every place that used p adds": dp / (B * T),
    }
    return of[name]


V, W = 6, 3
FOUND = np.array([True, False, False, True, False, True])


def step_law(answer):
    """Frozen rows stay, the others take a step of at most rate · max_norm."""
    rng = answer.rng
    E, dE = rng.standard_normal((V, W)), rng.standard_normal((V, W))
    norm = np.linalg.norm(dE[~FOUND])
    for max_norm in (0.5 * norm, 1.2 * norm, 1e3 * norm):  # too long, nearly, by far short enough
        got = answer.array((V, W), E=E, dE=dE, found=FOUND, rate=0.1, max_norm=max_norm)
        explain_step(got, E, dE, max_norm)
    still = answer.array((V, W), E=E, dE=0 * dE, found=FOUND, rate=0.1, max_norm=1.0)
    if not np.array_equal(still, E):
        raise Wrong("where the gradient is zero, E must stay as it is")


def explain_step(got, E, dE, max_norm, rate=0.1):
    """Raise Wrong with the mistake that fits."""
    moving = np.where(FOUND[:, None], 0, dE)
    right = stepped(E, moving, moving, max_norm, rate)
    if np.allclose(got, right, rtol=0, atol=1e-12) and np.array_equal(got[FOUND], E[FOUND]):
        return
    other = np.where(FOUND[:, None], dE, 0)
    rows = moving * np.minimum(1, max_norm / np.linalg.norm(dE, axis=1, keepdims=True))
    mistakes = {
        "the found rows move; they are frozen": stepped(E, dE, dE, max_norm, rate),
        "found and not found are swapped: the pretrained rows stay, the others move": stepped(
            E, other, other, max_norm, rate
        ),
        "the norm counts the frozen rows too; only what moves is to be measured": stepped(
            E, moving, dE, max_norm, rate
        ),
        "nothing is clipped": E - rate * moving,
        "a gradient that is short enough is made longer; clipping only shortens": E
        - rate * moving * max_norm / np.linalg.norm(moving),
        "each row is clipped by itself; there is one norm, of all that moves": E - rate * rows,
        "each entry is clipped by itself; there is one norm, of all that moves": E
        - rate * np.clip(moving, -max_norm, max_norm),
        "the step goes up the gradient: mind the sign": stepped(E, moving, moving, max_norm, -rate),
        "the found rows are set to zero; frozen rows keep what they have": np.where(
            FOUND[:, None], 0, right
        ),
        "this is the step alone, without the E that it starts from": right - E,
        "no row moves": E,
    }
    for sentence, wrong in mistakes.items():
        if np.allclose(got, wrong, rtol=0, atol=1e-12):
            raise Wrong(sentence)
    if not np.array_equal(got[FOUND], E[FOUND]):
        raise Wrong("a found row is not what it was; a frozen row keeps every bit")
    worst = int(np.abs(got - right).max(axis=1).argmax())
    raise Wrong(f"row {worst} should become {right[worst]}, and yours is {got[worst]}")


def stepped(E, moving, measured, max_norm, rate):
    """E after a step along `moving`, scaled by the norm of `measured`."""
    norm = np.linalg.norm(measured)
    return E - rate * moving * min(1.0, max_norm / norm)


EXERCISES = [
    Exercise("penalized_backward", penalized_law),
    Exercise("clipped_step", step_law),
]
