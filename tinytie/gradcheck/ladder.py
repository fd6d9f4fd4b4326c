"""The second instrument: extrapolation to h = 0 from a ladder of steps, which knows its own error.

A loss is good to so many digits only: it rounds, it is computed in float32 inside, a solver stops
at its tolerance, somebody rounds it. So its noise is measured, by how the finer rungs scatter
around what the coarser ones say, before anything is compared with anything.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytie.gradcheck.numeric import along_direction, roundoff, tried

RATIO = 3  # of each rung to the next finer one
LADDER = 0.18 / RATIO ** np.arange(16.0)  # 0.18 … 1.3e-8, for a step of 1e-5
COARSE = LADDER[:5]  # where rounding hurts least: for gradients far smaller than the loss
WIDE = LADDER[:8]  # where a loss in small steps looks smooth
TO_DISMISS = 6  # rungs that must agree before all coarser ones are dismissed
SAFE = 4  # the noise is taken to be so many times what was seen of it


class Slope(NamedTuple):
    """A derivative at 0, how far from the truth it may be, and the jump where there is a kink."""

    value: float
    bound: float
    kink: float = 0.0
    noise: float = 0.0  # of the loss itself
    grid: float = 0.0  # on which all its values lie; 0 where they do not

    def admits(self, given: float, allowed: float) -> bool:
        """Whether `given` may be this slope."""
        return bool(abs(given - self.value) <= allowed + self.bound)


def extrapolated(
    f: Callable[[float], float], value: float, steps: Any = LADDER, grid: float = 0.0
) -> Slope:
    """The derivative of f at 0 from central differences at all steps (Ridders 1982).

    The error of a central difference is a series in h²; each column of the table removes one more
    term. What is taken is the entry of the table whose own error, by its neighbours and by the
    noise, is least. value is f(0). A step at which f is not finite or not defined is left out,
    with all that are larger. grid: on which the values of the loss are known to lie.
    """
    steps = np.asarray(steps)
    pairs = np.array([[tried(f, step), tried(f, -step)] for step in steps])
    finite = np.isfinite(pairs).all(axis=1)
    usable = len(steps) if finite.all() else int(np.argmin(finite[::-1]))
    if usable < 2:
        return Slope(np.nan, np.inf)
    pairs, steps = pairs[-usable:], steps[-usable:]
    above, below = pairs.T
    rounding = roundoff(max(abs(value), np.median(np.abs(pairs))))
    if jump := jump_of(above - value, below - value, rounding):
        return Slope(float((above[-1] - below[-1]) / (2 * steps[-1])), np.inf, jump / steps[-1])
    grid = grid or grid_of(pairs.ravel() - value, roundoff(np.abs(pairs).max()))
    noise = max(rounding, grid)
    best, bound, noise = settled((above - below) / (2 * steps), steps, noise)
    kink = kink_of((above - 2 * value + below) / steps, noise / steps)
    return Slope(best, bound, kink, noise, grid)


def slope_along(loss: Callable[[], float], array: np.ndarray, value: float, v: np.ndarray) -> Slope:
    """The slope of the loss along a direction v of length 1; value is the loss."""
    return extrapolated(along_direction(loss, array, v), value, LADDER * stretch(array).max())


def stretch(array):
    """By how much longer a step must be beside a large number, so as not to vanish in it."""
    return np.maximum(1.0, 1e-7 * np.abs(array))


def settled(slopes, steps, noise):
    """(slope, bound, noise) that the finer rungs agree with.

    Where they do not, either they agree with each other, and the loss bends beside the point, so
    that only they count; or nothing agrees, and the noise is raised until it explains that.
    """
    for louder in (1, 8, 64):
        if found := dismissing(slopes, steps, louder * noise):
            return found
    for _ in range(10):
        best, bound, _, scatter = view(slopes, steps, noise)
        if scatter <= noise:
            break
        noise = SAFE * scatter
    return best, bound, float(noise)


def dismissing(slopes, steps, noise):
    """The same with this noise, where enough of the finest rungs agree within it; or None."""
    start = 0
    while len(steps) - start >= TO_DISMISS:
        best, bound, i, scatter = view(slopes[start:], steps[start:], noise)
        finer = len(steps) - start - 1 - i
        if scatter <= noise and (start == 0 or finer >= TO_DISMISS - 2):
            return best, bound, float(noise)
        start += i + 1
    return None


def view(slopes, steps, noise):
    """(slope, bound, its row, scatter): the best of the table, and how far f strays from it."""
    rows = ridders(slopes.tolist())
    best, bound, i, j = best_of_table(rows, noise / steps)
    scatter = [
        (abs(row[min(j, len(row) - 1)] - best) - bound) * step
        for row, step in zip(rows[i + 1 :], steps[i + 1 :], strict=True)
    ]
    return float(best), float(bound), i, max(scatter, default=0.0)


def ridders(slopes):
    """Ridders' table, row by row: each column removes one more power of h²."""
    rows = [[slopes[0]]]
    for first in slopes[1:]:
        row = [first]
        for j, old in enumerate(rows[-1]):
            row.append(row[j] + (row[j] - old) / (RATIO ** (2 * (j + 1)) - 1))
        rows.append(row)
    return rows


def best_of_table(rows, noise):
    """(slope, bound, row, column) of the entry with the least bound; noise is of the slopes."""
    best = (np.nan, np.inf, 0, 0)
    for i in range(1, len(rows)):
        above, row = rows[i - 1], rows[i]
        for j in range(1, len(row)):
            error = max(abs(row[j] - row[j - 1]), abs(row[j] - above[j - 1]))
            if 4 * error + noise[i] < best[1]:
                best = (row[j], 4 * error + noise[i], i, j)
    return best


def grid_of(differences, rounding):
    """The largest number of which all differences are multiples, as of a rounded loss; or 0.

    differences: from the value at 0, the finest steps last, which do not move a rounded loss.
    """
    gaps = np.unique(np.abs(differences))
    gaps = gaps[gaps > 4 * rounding]
    if len(gaps) < 4 or np.abs(differences[-4:]).max() > 4 * rounding:
        return 0.0
    unit = gaps[0]
    for gap in gaps[1:]:
        a, b = gap, unit
        while b > 4 * rounding:  # Euclid, up to rounding
            a, b = b, abs(a - b * round(a / b))
        unit = a
    return float(unit) if unit > 100 * rounding else 0.0


def jump_of(above, below, rounding):
    """How far the loss itself jumps at 0: on one side it stays away however small the step."""
    for side in (above[-4:], below[-4:]):
        least = np.abs(side).min()
        if len(side) == 4 and least > 100 * rounding and np.ptp(side) < 1e-2 * least:
            return float(least)
    return 0.0


def small_jump_near(f, reach):
    """The size of jumps of f within ±reach, as where a solver needs a step more; 0 if none.

    They stick out of the sixth differences on an even grid, ten times their size; and, other than
    a kink, which fades to a sixteenth, they still do so on a grid sixteen times as fine.
    """
    places = np.linspace(-reach, reach, 65)
    bends, largest = sixth_differences(f, places)
    if not np.isfinite(bends).all():
        return 0.0
    place = places[3 + int(bends.argmax())]
    finer, _ = sixth_differences(f, place + places / 16)
    jump = finer.max() / 10 if finer.max() > 0.2 * bends.max() else 0.0
    return float(jump) if jump > 100 * roundoff(largest) else 0.0


def sixth_differences(f, places):
    """|Δ⁶f| on an even grid, and the largest |f|."""
    values = np.array([tried(f, place) for place in places])
    return np.abs(np.diff(values, 6)), np.abs(values).max()


def kink_of(bends, noise):
    """The jump of the slope at 0 itself; 0 where f is smooth there.

    bends: forward minus backward slope at each step. Where f is smooth these shrink with the step,
    at a kink they stay; the finest ones that stand well above the noise tell.
    """
    clear = np.flatnonzero(np.abs(bends) > 40 * noise)
    if not len(clear) or clear[-1] == 0:
        return 0.0
    i = clear[-1]
    jump = (RATIO * bends[i] - bends[i - 1]) / (RATIO - 1)
    bend = max(abs(bends[i]), abs(bends[i - 1]))
    stays = np.abs(bends[i + 1 :] - jump) <= 0.5 * abs(jump) + 4 * noise[i + 1 :]
    if bends[i] * bends[i - 1] < 0 or not stays.all():
        return 0.0
    return float(abs(jump)) if abs(jump) > max(0.25 * bend, 4 * noise[i]) else 0.0
