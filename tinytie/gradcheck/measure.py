"""Measuring all arrays of one function: whether its loss can be trusted, and off the kinks."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tinytie.gradcheck.directions import LARGE, check_directions
from tinytie.gradcheck.numeric import EPS, bumped, complex_gradient, tried
from tinytie.gradcheck.report import (
    FAIL,
    PASS,
    ROUGH,
    UNCHECKED,
    Measured,
    Row,
    not_finite,
    unchecked,
)
from tinytie.gradcheck.trees import as_number, obstacle
from tinytie.gradcheck.verdict import SHARP, SecondLook, Settings, check_array

MOVES = (
    1e-3,
    1e-2,
    1e-2,
    0.1,
    0.1,
)  # how far the point is moved off a kink, one try after the other
KINK = "a kink or a jump"


class Options(NamedTuple):
    """What the caller chose."""

    method: str = "central"
    step: float = 1e-5
    rng: Any = None
    tolerance: Any = None

    def settings(self, name):
        """For one array; a dict of tolerances holds some of them."""
        given = self.tolerance.get(name) if isinstance(self.tolerance, dict) else self.tolerance
        return Settings(self.step, given)


def measure_function(loss, parameters, grads, options):
    """The same where the gradients can be computed again: twice, and off a kink."""
    at = lambda: parameters.gradients(grads(parameters.value()))  # noqa: E731
    with parameters.restored():
        first, second = at(), at()
        differs = unequal(first, second)
    measured = measure(loss, parameters, first, options)
    if differs is not None:
        return [contradicted(m) if m.row.name == str(differs) else m for m in measured]
    again = lambda: measure(loss, parameters, at(), options)  # noqa: E731
    return off_the_kinks(parameters, measured, again)


def contradicted(m):
    """A row of gradients that change from call to call."""
    reason = "a second call of grads gives another gradient: does it add to the first one?"
    return m._replace(row=replace(m.row, verdict=FAIL, reason=reason), slope=None)


def off_the_kinks(parameters, measured, again):
    """Where kinks, and nothing wrong, leave rows UNCHECKED: again() at a point that has none."""
    rng = np.random.default_rng(0)
    bent = [m.row for m in measured if KINK in m.row.reason]
    if not bent or any(m.row.verdict == FAIL for m in measured):
        return measured
    for far in MOVES:
        with parameters.restored():
            for array in parameters.arrays.values():
                if array.flags.writeable:
                    array += far * rng.standard_normal(array.shape)
            moved = again()
        if any(m.row.verdict == FAIL for m in moved) or all(m.row.verdict == PASS for m in moved):
            said = f"the point was moved by about {far:g}, off a kink in {bent[0].name}"
            return [moved_row(m, said) for m in moved]
    return measured


def moved_row(m, said):
    """A row of another point, which says so; nothing more can be measured there."""
    return m._replace(row=replace(m.row, reason=joined(m.row.reason, said)), slope=None)


def joined(*words):
    return "; ".join(word for word in words if word)


def unequal(one, two):
    """The first name at which two dicts of gradients differ by more than rounding; or None."""
    for name, gradient in one.items():
        coarse = gradient.dtype.itemsize < 8
        share = 1e-3 if coarse else 1e-9
        a, b = np.nan_to_num(gradient), np.nan_to_num(two[name])
        if not np.abs(a - b).max(initial=0) <= share * np.abs([a, b]).max(initial=0):
            return name
    return None


def measure(loss, parameters, grads, options):
    """One `Measured` for each array."""
    arrays, before = parameters.arrays, parameters.changed()
    bits = {name: array.tobytes() for name, array in arrays.items()}
    number = lambda: as_number(loss(parameters.value()))  # noqa: E731
    with parameters.restored(), np.errstate(all="ignore"):
        given = loss(parameters.value())
        value = as_number(given)
        reason = unusable(number, parameters, value, before, bits)
        if reason:
            return refused(grads, reason)
        coarse = too_coarse(number, arrays, given, value)
        measured = [
            measure_one(loss, number, name, parameters, grads[name], value, options)
            for name in arrays
        ]
        again = number()
    if again != value:
        reason = f"the loss does not repeat: {value!r} before the check, {again!r} after"
        return refused(grads, reason)
    return [not_passed(m, coarse) for m in measured] if coarse else measured


def unusable(number, parameters, value, before, bits):
    """Why no difference of this loss means anything; "" where it does."""
    if parameters.changed() != before:
        return "the loss adds or removes parameters"
    if not np.isfinite(value):
        return f"the loss is {value}"
    again = number()
    if again != value:
        return f"the loss does not repeat: {value!r}, then {again!r} for the same parameters"
    if any(parameters.arrays[name].tobytes() != kept for name, kept in bits.items()):
        return "the loss changes its own parameters"
    return ""


def too_coarse(number, arrays, given, value):
    """Why no row may PASS, although a wrong one may FAIL; "" where nothing stands against it."""
    if getattr(given, "dtype", None) in (np.float32, np.float16):
        return f"the loss is a {given.dtype} number, too coarse for differences"
    if any(array.dtype.itemsize < 8 for array in arrays.values()):
        return ""  # which its own row says better
    values = []
    for array in arrays.values():
        if array.flags.writeable and array.size:
            wiggle = 1e-4 * np.sin(np.arange(1.0, array.size + 1)).reshape(array.shape)
            with bumped(array, ..., array + wiggle):
                values.append(tried(lambda _: number(), 0.0))
    moved = [v for v in values if v != value and np.isfinite(v)]
    counts = all(float(np.float16(v)) == v or v == round(v) for v in moved)  # of mistakes, say
    if moved and not counts and all(float(np.float32(v)) == v for v in moved):
        return "the loss has no more than float32's digits, too coarse for differences"
    return ""


def not_passed(m, reason):
    """A row that may not PASS, because the loss is as coarse as `reason` says."""
    if m.row.verdict != PASS and not m.row.reason.startswith(ROUGH):
        return m
    return m._replace(row=replace(m.row, verdict=UNCHECKED, reason=reason))


def refused(grads, reason):
    """Every row with the same reason."""
    return [Measured(unchecked(str(name), reason), gradient) for name, gradient in grads.items()]


def measure_one(loss, number, name, parameters, analytic, value, options):
    """One array by the method asked for, unless something stands in the way."""
    array, said, settings = parameters.arrays[name], str(name), options.settings(name)
    if array.size == 0:
        row = Row(said, PASS, 0.0, 0.0, None, 0.0, 0.0, "it has no entries, nothing to check")
        return Measured(row, analytic)
    if not np.isfinite(analytic).all():
        return Measured(not_finite(said, analytic), analytic)
    if reason := obstacle(name, parameters.arrays):
        return Measured(unchecked(said, reason), analytic)
    if options.method == "complex":
        return check_complex(loss, number, name, parameters, analytic, value, settings)
    if options.method == "directions" or array.size > LARGE:
        return check_directions(number, said, array, analytic, value, settings, options.rng)
    return check_array(number, said, array, analytic, value, settings)


def check_complex(loss, number, name, parameters, analytic, value, settings):
    """Compare with the complex step at every entry; `loss` takes the tree of complex arrays.

    The largest entry and the worst ones are measured along the real axis as well, which shows
    where the loss is not analytic.
    """
    replaced = lambda copies: loss(parameters.replaced(copies))  # noqa: E731
    looks = SecondLook(number, parameters.arrays[name], analytic, value, settings)
    looks.numeric[...] = complex_gradient(replaced, parameters.arrays, name)
    largest = np.abs(looks.numeric).max(initial=0.0)
    for flat in {int(np.abs(looks.numeric).argmax()), int(np.abs(analytic).argmax())}:
        index = np.unravel_index(flat, analytic.shape)
        f, steps = looks.along(index)
        slope = looks.best_slope(f, index, steps)
        if slope.kink or not slope.admits(looks.numeric[index], SHARP * largest):
            reason = "the complex step and the real difference disagree: abs, max or a comparison?"
            return Measured(unchecked(str(name), reason), analytic)
    looks.bounds[...], looks.bends[...] = 64 * EPS * largest, 0.0
    looks.run()
    return looks.measured(str(name))
