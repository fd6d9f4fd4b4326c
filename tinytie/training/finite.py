"""Training that has gone wrong stops with the step and the array, before anything is saved."""

import math
from collections.abc import Mapping

import numpy as np

REMEDY = "try a lower learning rate, or clip at a lower norm"


class TrainingError(ValueError):
    """A loss, a gradient or a parameter is not finite."""


def check_number(number: float, where: str, what: str) -> None:
    """Raises TrainingError where the number is not finite."""
    if not math.isfinite(number):
        raise TrainingError(f"{where}: {what} is {number}; {REMEDY}")


def check_arrays(arrays: Mapping[str, np.ndarray], where: str, what: str) -> None:
    """Raises TrainingError, naming the first array with a number that is not finite."""
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise TrainingError(f"{where}: {what}{name} is not finite; {REMEDY}")
