"""Numeric derivatives: what the loss itself says about each parameter."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


@contextmanager
def bumped(array: np.ndarray, index: tuple, value: Any) -> Iterator[None]:
    """The array with one entry replaced, and with its old bits again afterwards, come what may."""
    kept = array[index]
    array[index] = value
    try:
        yield
    finally:
        array[index] = kept


def difference(loss: Callable[[], float], array: np.ndarray, index: tuple, step: float) -> float:
    """Central difference, (loss(a + step) − loss(a − step)) / 2 step, for one entry a."""
    value = array[index]
    with bumped(array, index, value + step):
        above = loss()
    with bumped(array, index, value - step):
        below = loss()
    return (above - below) / (2 * step)


def numeric_gradient(
    loss: Callable[[], float], array: np.ndarray, step: float = 1e-5
) -> np.ndarray:
    """The central difference for every entry of the array, which `loss` reads. Same shape."""
    gradient = np.empty(array.shape)
    for index in np.ndindex(array.shape):
        gradient[index] = difference(loss, array, index, step)
    return gradient
