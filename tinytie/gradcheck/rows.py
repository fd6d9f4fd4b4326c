"""Rows of arrays that no comparison can judge, and what is said of them."""

from math import inf, nan

import numpy as np

from tinytie.gradcheck.pattern import pattern_of
from tinytie.gradcheck.report import FAIL, UNCHECKED, Row


def vacuous(size):
    if size == 0:
        return "the loss does not depend on it at this point, so nothing is compared"
    return "its gradient is too small beside the rounding of the differences to be compared"


def unchecked(name, reason, index=None):
    """A row without a comparison."""
    return Row(name, UNCHECKED, nan, nan, index, nan, nan, reason)


def failed_row(name, reason, size=0):
    """A gradient that cannot even be compared."""
    return Row(name, FAIL, inf, nan, None, nan, nan, reason, size, size)


def not_finite(name, analytic):
    """A gradient that holds NaN or infinity is wrong wherever the loss is finite."""
    wrong = ~np.isfinite(analytic)
    index = first(wrong)
    reason = f"the gradient is {analytic[index]} at {list(index)}"
    return Row(
        name, FAIL, inf, nan, index, float(analytic[index]), nan, reason,
        int(wrong.sum()), wrong.size, pattern_of(wrong),
    )  # fmt: skip


def first(mask):
    """The first True, as a tuple of ints."""
    return integers(np.unravel_index(mask.argmax(), mask.shape))


def integers(index):
    return tuple(int(i) for i in index)
