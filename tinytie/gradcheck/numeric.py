"""Numeric derivatives: what the loss itself says about each parameter.

Two instruments. The central difference, (f(h) − f(−h)) / 2h, costs two evaluations and is right to
about ten digits of the loss; every entry gets one. Extrapolation to h = 0 from a ladder of steps
costs twenty, knows its own error, and decides where the first is in doubt.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

EPS = np.finfo(np.float64).eps
RATIO = 3  # of each step of the ladder to the next finer one
LADDER = 2e-2 / RATIO ** np.arange(10.0)  # 2e-2 … 1e-6
WIDE = np.concatenate([LADDER[:2] * RATIO**2, LADDER])  # from 0.18, for directions of length 1
COARSE = LADDER[:4]  # where rounding hurts least: for gradients far smaller than the loss


class Slope(NamedTuple):
    """A derivative, how far from the truth it may be, and the jump where there is a kink.

    reach: how far from `value` a slope beside the kink may be.
    """

    value: float
    bound: float
    kink: float = 0.0
    reach: float = 0.0

    def may_be(self, given: float) -> bool:
        """Whether `given` is a slope on either side of the kink, or between both."""
        return abs(given - self.value) <= self.reach + self.bound


@contextmanager
def bumped(array: np.ndarray, index: Any, value: Any) -> Iterator[None]:
    """The array with one entry replaced, and with its old bits again afterwards, come what may."""
    kept = array[index].copy()
    try:
        array[index] = value
        yield
    finally:
        array[index] = kept


@contextmanager
def restored(params: dict[str, np.ndarray]) -> Iterator[None]:
    """Afterwards `params` holds the same arrays with the same bits, also after an error."""
    arrays, copies = dict(params), {name: array.copy() for name, array in params.items()}
    try:
        yield
    finally:
        for name, array in arrays.items():
            if array.flags.writeable and array.tobytes() != copies[name].tobytes():
                array[...] = copies[name]
            if params.get(name) is not array:
                params[name] = array
        for name in [name for name in params if name not in arrays]:
            del params[name]


def rounding(loss: float, step: Any) -> Any:
    """How far rounding alone can move a difference of the loss: 4 eps max(1, |loss|) / step."""
    return 4 * EPS * max(1.0, abs(loss)) / step


def along_entry(loss: Callable[[], float], array: np.ndarray, index: tuple) -> Callable:
    """f(h): the loss with h added to one entry."""
    value = array[index]

    def f(step):
        with bumped(array, index, value + step):
            return loss()

    return f


def along_direction(loss: Callable[[], float], array: np.ndarray, v: np.ndarray) -> Callable:
    """f(h): the loss with h · v added to the whole array."""
    value = array.copy()

    def f(step):
        with bumped(array, ..., value + step * v):
            return loss()

    return f


def slope_along(loss: Callable[[], float], array: np.ndarray, value: float, v: np.ndarray) -> Slope:
    """The slope of the loss along a direction v of length 1; value is the loss."""
    return extrapolated(along_direction(loss, array, v), value, WIDE)


def central(f: Callable[[float], float], value: float, step: float) -> tuple[float, float]:
    """The central difference at 0, and forward minus backward slope: h f″, or the jump of a kink.

    value is f(0).
    """
    above, below = f(step), f(-step)
    return (above - below) / (2 * step), (above - 2 * value + below) / step


def difference(
    loss: Callable[[], float], array: np.ndarray, index: tuple, step: float = 1e-5
) -> float:
    """The central difference for one entry of the array, which `loss` reads."""
    return central(along_entry(loss, array, index), loss(), step)[0]


def numeric_gradient(
    loss: Callable[[], float], array: np.ndarray, step: float = 1e-5
) -> np.ndarray:
    """The central difference for every entry of the array, which `loss` reads. Same shape."""
    value = loss()
    return differences(loss, array, value, step)[0]


def differences(loss, array, value, step):
    """`central` for every entry: two arrays of the array's shape."""
    slopes, jumps = np.empty(array.shape), np.empty(array.shape)
    for index in np.ndindex(array.shape):
        f = along_entry(loss, array, index)
        exact = (array[index] + step) - array[index]  # the step that the sum really makes
        slopes[index], jumps[index] = central(f, value, exact)
    return slopes, jumps


def extrapolations(loss, array, value, steps=COARSE):
    """`extrapolated` for every entry: the slopes and their bounds."""
    slopes, bounds = np.empty(array.shape), np.empty(array.shape)
    for index in np.ndindex(array.shape):
        slope = extrapolated(along_entry(loss, array, index), value, steps)
        slopes[index], bounds[index] = slope.value, slope.bound
    return slopes, bounds


def extrapolated(f: Callable[[float], float], value: float, steps: Any = LADDER) -> Slope:
    """The derivative of f at 0 from central differences at all steps (Ridders 1982).

    The error of a central difference is a series in h²; each column of the table removes one more
    term. What is taken is the entry of the table whose own error, by its neighbours and by
    rounding, is least. value is f(0). A step at which f is not finite or not defined is left out,
    with all that are larger.
    """
    pairs = np.array([[tried(f, step), tried(f, -step)] for step in steps])
    steps = np.asarray(steps)
    finite = np.isfinite(pairs).all(axis=1)
    usable = len(steps) if finite.all() else int(np.argmin(finite[::-1]))
    if usable < 2:
        return Slope(np.nan, np.inf)
    (above, below), steps = pairs[-usable:].T, steps[-usable:]
    slopes, noise = (above - below) / (2 * steps), rounding(value, steps)
    best, bound = best_of_table(slopes, noise)
    bound = max(bound, *(np.abs(best - slopes[-2:]) - noise[-2:]))  # the finest must agree
    jumps = (above - 2 * value + below) / steps
    return Slope(best, float(bound), *kink_of(jumps, noise))


def tried(f, step):
    """f(step), or not a number where f is not defined so far out."""
    try:
        return f(step)
    except (ArithmeticError, ValueError):
        return np.nan


def best_of_table(slopes, noise):
    """Ridders' table, row by row: the entry with the least bound, and that bound."""
    best, bound = np.nan, np.inf
    above: list[float] = []
    for first, rounding_error in zip(slopes.tolist(), noise.tolist(), strict=True):
        row = [first]
        for j, old in enumerate(above):
            row.append(row[j] + (row[j] - old) / (RATIO ** (2 * (j + 1)) - 1))
            error = max(abs(row[-1] - row[-2]), abs(row[-1] - old))
            if 4 * error + rounding_error < bound:
                best, bound = row[-1], 4 * error + rounding_error
        above = row
    return best, bound


def kink_of(jumps, noise):
    """(jump of the slope at 0 itself, how far a slope may be from the central one); 0, 0 if smooth.

    Where f is smooth the two finest jumps differ by RATIO; at a kink they are nearly equal, and
    exactly so where it lies at 0. Jumps of different signs are no kink but a rough loss.
    """
    jump = abs(RATIO * jumps[-1] - jumps[-2]) / (RATIO - 1)
    bend = np.abs(jumps[-2:]).max()
    if not (jump > 4 * noise[-1] and jump > 0.1 * bend) or np.ptp(np.sign(jumps[-3:])) > 0:
        return 0.0, 0.0
    at_zero = abs(jumps[-1] - jumps[-2]) <= 1e-2 * bend
    return float(jump), float(jump * (0.51 if at_zero else 2))
