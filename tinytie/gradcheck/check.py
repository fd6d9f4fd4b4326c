"""check_gradients: any loss, any dict of arrays, every entry."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytie.gradcheck.numeric import numeric_gradient
from tinytie.gradcheck.report import FAIL, PASS, UNCHECKED, Report, Row

RELATIVE = 1e-6  # of the largest entry of the array's own numeric gradient
VACUOUS = 1e-2  # a rounding floor above this share of the gradient leaves nothing to compare
EPS = np.finfo(np.float64).eps


def check_gradients(
    loss: Callable[[dict], float], params: dict, grads: dict, *,
    method: str = "central", step: float = 1e-5, rng: Any = None,
) -> Report:  # fmt: skip
    """Compare `grads` with differences of `loss(params)`, every entry of every array."""
    value = loss(params)
    rows = []
    for name, array in params.items():
        numeric = numeric_gradient(lambda: loss(params), array, step)
        rows.append(compare(name, np.asarray(grads[name]), numeric, rounding_floor(value, step)))
    return Report(rows)


def rounding_floor(loss: float, step: float) -> float:
    """How far rounding alone can move a difference of the loss: 4 eps max(1, |loss|) / step."""
    return 4 * EPS * max(1.0, abs(loss)) / step


def compare(name: str, analytic: np.ndarray, numeric: np.ndarray, floor: float) -> Row:
    """The verdict on one array: max|a − n| <= 1e-6 max|n| + floor."""
    size = np.abs(numeric).max()
    off = np.abs(analytic - numeric)
    index = tuple(int(i) for i in np.unravel_index(off.argmax(), off.shape))
    worst, allowed = off[index], RELATIVE * size + floor
    verdict, reason = PASS, ""
    if not worst <= allowed:
        verdict = FAIL
    elif floor > VACUOUS * size:
        verdict, reason = UNCHECKED, "the gradient is no larger than the differences' rounding"
    scale = size or 1.0
    return Row(
        name, verdict, float(worst / scale), float(allowed / scale), index,
        float(analytic[index]), float(numeric[index]), reason,
    )  # fmt: skip
