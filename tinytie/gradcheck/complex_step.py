"""The complex step: Im f(a + ih) / h, which subtracts nothing and so loses no digit.

For losses that carry complex numbers through (no abs, max or comparison): Squire and Trapp 1998.
"""

import warnings
from functools import partial

import numpy as np

from tinytie.gradcheck.arrays import SHARP, Measured, SecondLook, verdict_of
from tinytie.gradcheck.inputs import as_number
from tinytie.gradcheck.numeric import EPS, along_entry, extrapolated, slope_along
from tinytie.gradcheck.rows import unchecked

STEP = 1e-30


def check_complex(loss, name, params, analytic, value):
    """Compare with the complex step at every entry; `loss` takes the dict of (complex) arrays.

    The largest entry and the worst ones are measured along the real axis as well, which shows
    where the loss is not analytic.
    """
    numeric = complex_gradient(loss, name, params)
    array = params[name]
    bounds = np.full(array.shape, 64 * EPS * np.abs(numeric).max(initial=0.0))
    real = lambda: as_number(loss(params))  # noqa: E731
    for flat in {int(np.abs(numeric).argmax()), int(np.abs(analytic).argmax())}:
        index = np.unravel_index(flat, array.shape)
        slope = extrapolated(along_entry(real, array, index), value)
        gap = abs(slope.value - numeric[index])
        if not gap <= SHARP * np.abs(numeric).max() + slope.bound:
            reason = "the complex step and the real difference disagree: abs, max or a comparison?"
            return Measured(unchecked(str(name), reason), analytic)
    looks = SecondLook(real, array, analytic, value, numeric, bounds, 0 * numeric, 1.0)
    looks.run()
    along = partial(slope_along, real, array, value)
    return Measured(verdict_of(str(name), looks), analytic, numeric, float(bounds.max()), along)


def complex_gradient(loss, name, params):
    """The complex step for every entry of one array. The arrays of params are not touched."""
    copies = {key: array.astype(complex) for key, array in params.items()}
    gradient = np.empty(params[name].shape)
    for index in np.ndindex(gradient.shape):
        real = copies[name][index]
        copies[name][index] = real + 1j * STEP
        gradient[index] = imaginary(loss, copies) / STEP
        copies[name][index] = real
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
