"""One array: every entry by a central difference, and a second look where that is in doubt."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from tinytie.gradcheck.numeric import (
    COARSE,
    LADDER,
    along_entry,
    differences,
    extrapolated,
    extrapolations,
    rounding,
    slope_along,
)
from tinytie.gradcheck.pattern import pattern_of
from tinytie.gradcheck.report import FAIL, PASS, UNCHECKED, Row
from tinytie.gradcheck.rows import first, integers, unchecked, vacuous

RELATIVE = 1e-6  # of the array's largest gradient: what a central difference is held to
SHARP = 1e-8  # the same for the worst entries, once they are measured by extrapolation
VACUOUS = 1e-3  # an error bound above this share of the gradient leaves nothing to compare
COARSE_ABOVE = 1e-5  # above this share the whole array is measured again with coarser steps
WORST, MOST = 4, 64  # how many entries get a second look: always, and where they look wrong


class Measured(NamedTuple):
    """An array's gradient, given and measured, and what the comparison says."""

    row: Row
    analytic: np.ndarray
    numeric: np.ndarray | None = None
    bound: float = 0.0  # how far `numeric` may be off
    slope: Callable | None = None  # the measured slope along any direction of length 1


def check_array(loss, name, array, analytic, value, step):
    """Compare the given gradient of one array with differences of `loss()`; value is the loss.

    A central difference for each entry screens: |a − n| <= 1e-6 max|n| + 4 eps max(1, |loss|)/step.
    The worst entries, and all beyond that bound, are measured again by extrapolation, and only
    this second look can fail the array, or find that a kink leaves no derivative to compare with.
    """
    numeric, jumps = differences(loss, array, value, step)
    bounds = np.full(array.shape, rounding(value, step))
    if not np.isfinite(numeric).all():
        index = first(~np.isfinite(numeric))
        reason = f"the loss is not finite beside {list(index)}"
        return Measured(unchecked(name, reason, index), analytic)
    if bounds.max() > COARSE_ABOVE * np.abs(numeric).max():
        numeric, bounds = sharper(loss, array, value, numeric, bounds)
    looks = SecondLook(loss, array, analytic, value, numeric, bounds, jumps, step)
    looks.run()
    slope = partial(slope_along, loss, array, value)
    return Measured(verdict_of(name, looks), analytic, numeric, float(np.median(bounds)), slope)


def sharper(loss, array, value, numeric, bounds):
    """Coarser steps, extrapolated, for gradients that rounding would drown; the better of both."""
    again, errors = extrapolations(loss, array, value, COARSE)
    better = errors < bounds
    return np.where(better, again, numeric), np.where(better, errors, bounds)


class SecondLook:
    """Extrapolation at the entries in doubt, the worst first; improves numeric and bounds there."""

    def __init__(self, loss, array, analytic, value, numeric, bounds, jumps, step):
        self.loss, self.array, self.analytic, self.value = loss, array, analytic, value
        self.numeric, self.bounds, self.step = numeric, bounds, step
        self.jumps = jumps
        self.failed, self.kinks, self.noisy = None, [], []
        self.looked = set()

    @property
    def size(self):
        """The largest gradient of the array, kinks left out."""
        smooth = np.ones(self.numeric.shape, bool)
        for index in self.kinks:
            smooth[index] = False
        return np.abs(self.numeric[smooth]).max(initial=0.0)

    def off(self):
        return np.abs(self.analytic - self.numeric)

    def run(self):
        """The entries that look bent, then the worst ones, until one is found to be wrong."""
        bend = np.abs(self.jumps) > 1e-2 * self.size + 4 * rounding(self.value, self.step)
        for index in [integers(i) for i in np.argwhere(bend)][:MOST]:
            self.look(index)
        order = np.argsort(-self.off(), axis=None)
        off, size = self.off(), self.size
        for count, flat in enumerate(order):
            index = integers(np.unravel_index(flat, off.shape))
            relative = SHARP if count < WORST else RELATIVE
            enough = count >= MOST and (self.kinks or self.noisy)
            if (
                self.failed is not None
                or enough
                or off[index] <= relative * size + self.bounds[index]
            ):
                break
            self.look(index)

    def look(self, index):
        """Measure one entry again, and judge it."""
        if index in self.looked or self.failed is not None:
            return
        self.looked.add(index)
        f = along_entry(self.loss, self.array, index)
        exact = (self.array[index] + LADDER) - self.array[index]
        slope = extrapolated(f, self.value, exact)
        analytic = self.analytic[index]
        if slope.kink and slope.may_be(analytic):
            self.kinks.append(index)
        elif not slope.bound <= max(VACUOUS * self.size, rounding(self.value, self.step)):
            self.noisy.append(index)
        else:
            self.numeric[index], self.bounds[index] = slope.value, slope.bound
            if not abs(analytic - slope.value) <= SHARP * self.size + slope.bound:
                self.failed = index


def verdict_of(name, looks):
    """The row: the entry that failed, or the worst of all."""
    off, size = looks.off(), looks.size
    index = looks.failed
    if index is None:
        index = integers(np.unravel_index(off.argmax(), off.shape))
    relative = SHARP if index in looks.looked else RELATIVE
    allowed = relative * size + looks.bounds[index]
    verdict, reason = PASS, ""
    if looks.failed is not None:
        verdict = FAIL
    elif looks.kinks or looks.noisy:
        verdict, reason = UNCHECKED, in_doubt(looks)
    elif looks.bounds.max() > VACUOUS * size:
        verdict, reason = UNCHECKED, vacuous(size)
    scale = size or 1.0
    row = Row(
        name, verdict, float(off[index] / scale), float(allowed / scale), index,
        float(looks.analytic[index]), float(looks.numeric[index]), reason, size=off.size,
    )  # fmt: skip
    return row if verdict != FAIL else with_pattern(row, off, RELATIVE * size + looks.bounds)


def with_pattern(row, off, allowed):
    """How many entries are off, and where they are."""
    wrong = np.array(off > allowed)
    wrong[row.index] = True
    return Row(**row.__dict__ | {"off": int(wrong.sum()), "pattern": pattern_of(wrong)})


def in_doubt(looks):
    """Why no derivative could be taken at some entries."""
    if looks.kinks:
        count = len(looks.kinks)
        others = f", the first of {count} such entries" if count > 1 else ""
        return f"a kink or a jump of the loss inside the step at {list(looks.kinks[0])}{others}"
    where = list(looks.noisy[0])
    return f"the differences at several steps do not agree at {where}: the loss is too rough there"
