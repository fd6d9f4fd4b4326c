"""Numeric derivatives: what the loss itself says about each parameter.

The first instrument is the central difference, (f(h) − f(−h)) / 2h: two evaluations an entry, right
to about ten digits of the loss. `ladder.py` has the second, which decides where this is in doubt.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

EPS = np.finfo(np.float64).eps
IMAGINARY = 1e-30  # the complex step: nothing is subtracted, so no digit is lost


@contextmanager
def bumped(array: np.ndarray, index: Any, value: Any) -> Iterator[None]:
    """The array with one entry replaced, and with its old bits again afterwards, come what may."""
    kept = array[index].copy()
    try:
        array[index] = value
        yield
    finally:
        array[index] = kept


def roundoff(loss: float) -> float:
    """How far rounding moves a loss at least: 4 eps |loss|; what it really does is measured."""
    return float(4 * EPS * abs(loss))


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


def tried(f: Callable[[float], float], step: float) -> float:
    """f(step), or not a number where f cannot be computed so far out, whatever it raises."""
    try:
        return f(step)
    except Exception:
        return float("nan")


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
    return differences(loss, array, loss(), np.full(array.shape, step))[0]


def differences(loss, array, value, steps):
    """`central` for every entry, each with its own step: two arrays of the array's shape."""
    slopes, bends = np.empty(array.shape), np.empty(array.shape)
    for index in np.ndindex(array.shape):
        f = along_entry(loss, array, index)
        exact = (array[index] + steps[index]) - array[index]  # the step that the sum really makes
        slopes[index], bends[index] = central(partial(tried, f), value, exact)
    return slopes, bends


def complex_gradient(loss: Callable[[dict], Any], arrays: dict, name: Any) -> np.ndarray:
    """Im f(a + ih) / h for every entry of one array: Squire and Trapp 1998.

    loss takes a dict of complex arrays and must carry them through: no abs, max or comparison.
    """
    copies = {key: array.astype(complex) for key, array in arrays.items()}
    gradient = np.empty(arrays[name].shape)
    for index in np.ndindex(gradient.shape):
        with bumped(copies[name], index, copies[name][index] + 1j * IMAGINARY):
            gradient[index] = imaginary(loss, copies) / IMAGINARY
    return gradient


def imaginary(loss, copies):
    """The imaginary part of the loss; refuses a loss that drops it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            return float(np.imag(loss(copies)))
        except (TypeError, np.exceptions.ComplexWarning) as error:
            raise ValueError(
                f"the loss does not carry complex numbers through ({error}); use method='central'"
            ) from None
