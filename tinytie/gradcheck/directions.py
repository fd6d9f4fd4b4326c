"""Large arrays: the slope along random directions instead of one difference for each entry.

A gradient that is wrong anywhere is wrong along nearly every random direction, so a few of them
judge the whole array; where they find a fault, halving the direction finds an entry.
"""

from functools import partial

import numpy as np

from tinytie.gradcheck.arrays import SHARP, VACUOUS, Measured
from tinytie.gradcheck.numeric import along_direction, along_entry, extrapolated, slope_along
from tinytie.gradcheck.report import FAIL, PASS, UNCHECKED, Row
from tinytie.gradcheck.rows import integers, unchecked, vacuous

LARGE = 10_000  # entries, above which directions are taken
DIRECTIONS = 8  # for each array


def check_directions(loss, name, array, analytic, value, rng):
    """Compare ⟨gradient, v⟩ with the slope of the loss along v, for several random unit v."""
    pairs = [pair_along(loss, array, analytic, value, unit(rng, array)) for _ in range(DIRECTIONS)]
    size = max(abs(slope.value) for slope, *_ in pairs)
    if not np.isfinite(size):
        return Measured(
            unchecked(name, "the loss is not finite along a random direction"), analytic
        )
    worst = max(pairs, key=lambda pair: excess(pair, size))
    slope, given, v = worst
    scale = size or 1.0
    allowed = SHARP * size + slope.bound
    reason = f"{DIRECTIONS} random directions"
    verdict = PASS
    if slope.kink and slope.may_be(given):
        verdict, reason = UNCHECKED, "a kink or a jump of the loss along a random direction"
    elif excess(worst, size) > 0:
        row = located(loss, name, array, analytic, value, v)
        return Measured(row, analytic, slope=partial(slope_along, loss, array, value))
    elif max(slope.bound for slope, *_ in pairs) > VACUOUS * size:
        verdict, reason = UNCHECKED, vacuous(size)
    error = abs(given - slope.value) / scale
    row = Row(name, verdict, error, allowed / scale, None, given, slope.value, reason)
    return Measured(row, analytic)


def unit(rng, array):
    """A random direction of length 1."""
    v = rng.standard_normal(array.shape)
    return v / np.linalg.norm(v)


def pair_along(loss, array, analytic, value, v):
    """(numeric slope, ⟨gradient, v⟩, v)"""
    slope = extrapolated(along_direction(loss, array, v), value)
    return slope, float(np.vdot(analytic, v)), v


def excess(pair, size):
    """How far the pair is beyond its bound; above 0 is wrong."""
    slope, given, _ = pair
    return abs(given - slope.value) - SHARP * size - slope.bound


def located(loss, name, array, analytic, value, v):
    """The row of a wrong gradient, with an entry found by halving the direction again and again."""
    places = np.arange(array.size)
    while len(places) > 1:
        halves = np.array_split(places, 2)
        gaps = [gap(loss, array, analytic, value, v, half) for half in halves]
        places = halves[int(np.argmax(gaps))]
    index = integers(np.unravel_index(places[0], array.shape))
    slope = extrapolated(along_entry(loss, array, index), value)
    error = abs(float(analytic[index]) - slope.value)
    scale = abs(slope.value) or 1.0
    return Row(
        name, FAIL, error / scale, SHARP + slope.bound / scale, index, float(analytic[index]),
        slope.value, "a random direction shows it; one wrong entry was searched for",
        off=1, size=array.size, pattern="at least this one",
    )  # fmt: skip


def gap(loss, array, analytic, value, v, places):
    """|numeric − analytic| along the part of v that lies in these places."""
    part = np.zeros(array.size)
    part[places] = v.ravel()[places]
    slope, given, _ = pair_along(loss, array, analytic, value, part.reshape(array.shape))
    return abs(slope.value - given)
