"""Training that has gone wrong stops with the step and the array, before anything is saved."""

import math
import sys
from collections.abc import Mapping

import numpy as np

REMEDY = "try a lower learning rate, or clip at a lower norm"


FAR, FARTHER = 5, 100  # times the first loss, about ln V: after an epoch, and at a single step


class TrainingError(ValueError):
    """A loss, a gradient or a parameter is not finite, or the loss has exploded."""


def check_loss(loss: float, bound: float, what: str, params: Mapping[str, np.ndarray]) -> None:
    """Raises TrainingError, naming the largest parameter, on a loss that is above bound or nan."""
    if not loss <= min(bound, sys.float_info.max):
        more = "" if math.isinf(bound) else f", more than {bound:.4g}"
        raise TrainingError(f"{what} is {loss:.4g}{more}: {largest(params)}; {REMEDY}")


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
