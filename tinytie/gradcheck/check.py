"""check_gradients: any loss, any dict of arrays, every entry."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytie.gradcheck import inputs
from tinytie.gradcheck.arrays import Measured, check_array
from tinytie.gradcheck.complex_step import check_complex
from tinytie.gradcheck.diagnosis import diagnosed
from tinytie.gradcheck.directions import LARGE, check_directions
from tinytie.gradcheck.numeric import bumped, restored, tried
from tinytie.gradcheck.report import Report
from tinytie.gradcheck.rows import not_finite, unchecked


def check_gradients(
    loss: Callable[[dict], float], params: dict, grads: dict, *,
    method: str = "central", step: float = 1e-5, rng: Any = None,
    numbers: dict[str, float] | None = None,
) -> Report:  # fmt: skip
    """Compare `grads` with differences of `loss(params)`.

    params: a dict of float64 arrays, which are bumped in place and restored bit for bit; grads:
    the same names and shapes. method "central" bumps every entry, and takes random directions
    (from `rng`) above 10,000 entries; "directions" takes them always; "complex" needs a loss that
    carries complex numbers. numbers, such as {"B": 4}, are named where a constant factor is one of
    them. A row is FAIL where the gradient differs by more than 1e-6 of the array's largest (1e-8
    for the worst entries, which are measured again) plus what rounding may do, and UNCHECKED, with
    the reason, where nothing can be compared. Raises ValueError or TypeError on other names,
    shapes or dtypes, and on a loss that is not one number.
    """
    inputs.check_options(method, step)
    inputs.check_params(params)
    grads = inputs.check_grads(params, grads)
    measured = measure(loss, params, grads, method, step, rng)
    return diagnosed(measured, numbers or {})


def measure(loss, params, grads, method, step, rng):
    """One `Measured` for each array."""
    rng = np.random.default_rng(rng)
    before = {name: array.tobytes() for name, array in params.items()}
    with restored(params), np.errstate(all="ignore"):
        given = loss(params)
        value = inputs.as_number(given)
        reason = unusable(loss, params, given, value, before)
        if reason:
            return refused(grads, reason)
        measured = [
            measure_one(loss, name, params, grads[name], value, method, step, rng)
            for name in params
        ]
        again = inputs.as_number(loss(params))
    if again != value:
        reason = f"the loss does not repeat: {value!r} before the check, {again!r} after"
        return refused(grads, reason)
    return measured


def unusable(loss, params, given, value, before):
    """Why no difference of this loss means anything; "" where it does."""
    if [*params] != [*before]:
        return "the loss adds or removes parameters"
    if getattr(given, "dtype", None) in (np.float32, np.float16):
        return f"the loss is a {given.dtype} number, too coarse for differences"
    if not np.isfinite(value):
        return f"the loss is {value}"
    if is_float32(loss, params, value):
        return "the loss is computed in float32, which is too coarse for differences"
    again = inputs.as_number(loss(params))
    if again != value:
        return f"the loss does not repeat: {value!r}, then {again!r} for the same parameters"
    if any(params[name].tobytes() != kept for name, kept in before.items()):
        return "the loss changes its own parameters"
    return ""


def is_float32(loss, params, value):
    """Whether every value of the loss, at points that are no round numbers, fits in float32."""
    if any(array.dtype.itemsize < 8 for array in params.values()):
        return False  # which its own row says better
    values = []
    for array in params.values():
        if array.flags.writeable and array.size:
            wiggle = 1e-4 * np.sin(np.arange(1.0, array.size + 1)).reshape(array.shape)
            with bumped(array, ..., array + wiggle):
                values.append(tried(lambda _: inputs.as_number(loss(params)), None))
    moved = [v for v in values if v != value and np.isfinite(v)]
    counts = all(float(np.float16(v)) == v or v == round(v) for v in moved)  # of mistakes, say
    return bool(moved) and not counts and all(float(np.float32(v)) == v for v in moved)


def refused(grads, reason):
    """Every row with the same reason."""
    return [Measured(unchecked(str(name), reason), gradient) for name, gradient in grads.items()]


def measure_one(loss, name, params, analytic, value, method, step, rng):
    """One array by the method asked for, unless something stands in the way."""
    array, said = params[name], str(name)
    if not np.isfinite(analytic).all():
        return Measured(not_finite(said, analytic), analytic)
    if reason := inputs.obstacle(name, params):
        return Measured(unchecked(said, reason), analytic)
    if method == "complex":
        return check_complex(loss, name, params, analytic, value)
    number = lambda: inputs.as_number(loss(params))  # noqa: E731
    if method == "directions" or array.size > LARGE:
        return check_directions(number, said, array, analytic, value, rng)
    return check_array(number, said, array, analytic, value, step)
