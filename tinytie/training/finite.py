"""Training that has gone wrong stops with the step and the array, before anything is saved."""

import math
from collections.abc import Mapping

import numpy as np

REMEDY = "try a lower learning rate, or clip at a lower norm"


WORSE = 5  # times the first loss, about ln V: no run comes back from there


class TrainingError(ValueError):
    """A loss, a gradient or a parameter is not finite, or the loss has exploded."""


def check_loss(loss: float, first: float, what: str, params: Mapping[str, np.ndarray]) -> None:
    """Raises TrainingError, naming the largest parameter, on a loss above 5 times the first.

    One that is not finite is above any; a first loss below a nat counts as one.
    """
    if loss <= WORSE * max(first, 1.0):
        return
    compared = f", and the first was {first:.4g}" if math.isfinite(first) else ""
    raise TrainingError(f"{what} is {loss:.4g}{compared}: {largest(params)}; {REMEDY}")


def largest(params):
    """Which parameter holds the number farthest from zero, or one that is not finite."""
    sizes = {name: float(np.abs(w).max(initial=0)) for name, w in params.items()}
    name = max(sizes, key=lambda name: sizes[name] if math.isfinite(sizes[name]) else math.inf)
    if not math.isfinite(sizes[name]):
        return f"parameter {name} is not finite"
    return f"parameters have grown to {sizes[name]:.2g}, in {name}"


def check_number(number: float, where: str, what: str) -> None:
    """Raises TrainingError where the number is not finite."""
    if not math.isfinite(number):
        raise TrainingError(f"{where}: {what} is {number}; {REMEDY}")


def check_arrays(arrays: Mapping[str, np.ndarray], where: str, what: str) -> None:
    """Raises TrainingError, naming the first array with a number that is not finite."""
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise TrainingError(f"{where}: {what}{name} is not finite; {REMEDY}")
