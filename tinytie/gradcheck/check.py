"""check_gradients and assert_gradients: any function of arrays, every entry."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytie.gradcheck.diagnosis.numbers import diagnosed
from tinytie.gradcheck.measure import Options, measure, measure_function
from tinytie.gradcheck.report import Report
from tinytie.gradcheck.trees import Parameters, check_options


def check_gradients(
    loss: Callable[[Any], float], params: Any, grads: Any, *,
    method: str = "central", step: float = 1e-5, rng: Any = None,
    numbers: dict[str, float] | None = None, tolerance: float | dict[Any, float] | None = None,
) -> Report:  # fmt: skip
    """Compare `grads` with differences of `loss(params)`.

    params: float64 arrays and numbers in any nesting of dicts, lists and tuples, bumped in place
    and restored bit for bit; None is frozen, integers are constants. grads: the same structure, or
    a function of params that returns it: then it is called twice and must agree with itself, and
    where the loss has a kink at the point, a point beside it is checked.

    method "central" bumps every entry, and takes random directions (from `rng`) above 10,000
    entries; "directions" takes them always; "complex" needs a loss that carries complex numbers.
    step: of the differences; the ladder of steps that decides goes from 18,000 times to a
    thousandth of it. What is finer than that in a loss cannot be seen: it is UNCHECKED or FAIL.
    numbers, such as {"B": 4}, are named where a constant factor is one of them. tolerance: for all
    or by name, what the error may be, as a share of the array's largest gradient.

    A row is FAIL where the gradient differs by more than 1e-6 of the array's largest (1e-8 for the
    worst entries, which are measured again, and 1e-6 of their own gradient for small ones) plus
    what the noise of the loss, which is measured, may do; and UNCHECKED, with the reason, where
    nothing can be compared. Raises ValueError or TypeError on other names, shapes or dtypes, and on
    a loss that is not one number.
    """
    options = chosen_options(method, step, rng, tolerance)
    parameters = Parameters(params)
    check_tolerance(tolerance, parameters)
    scalar = lambda p: loss(p)  # noqa: E731
    if callable(grads):
        return diagnosed(measure_function(scalar, parameters, grads, options), numbers or {})
    given = parameters.gradients(grads)
    return diagnosed(measure(scalar, parameters, given, options), numbers or {})


def assert_gradients(loss: Callable[[Any], float], params: Any, grads: Any, **options: Any) -> None:
    """For a test: raises AssertionError, with the report, unless every row PASSes.

    Arguments as in `check_gradients`. What is UNCHECKED was not shown to be right, so it raises.
    """
    __tracebackhide__ = True
    report = check_gradients(loss, params, grads, **options)
    if not report.ok:
        raise AssertionError(f"gradients: {report.verdict}\n{report}")


def chosen_options(method, step, rng, tolerance):
    """The options, checked."""
    check_options(method, step)
    values = tolerance.values() if isinstance(tolerance, dict) else [tolerance]
    for value in values:
        number = isinstance(value, int | float | np.floating) and not isinstance(value, bool)
        if value is not None and not (number and np.isfinite(value) and value > 0):
            raise ValueError(
                f"tolerance must be above 0 and finite, for all or by name; got {value!r}"
            )
    return Options(method, step, np.random.default_rng(rng), tolerance)


def check_tolerance(tolerance, parameters):
    """Every name in a dict of tolerances must be one of the report's."""
    unknown = [n for n in tolerance if n not in parameters.arrays] if (
        isinstance(tolerance, dict)) else []  # fmt: skip
    if unknown:
        raise ValueError(f"tolerance names {unknown}, which are none of {list(parameters.arrays)}")
