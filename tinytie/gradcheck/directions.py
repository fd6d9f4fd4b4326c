"""Large arrays: the slope along random directions instead of one difference for each entry.

A gradient that is wrong anywhere is wrong along nearly every random direction, so a few of them
judge the whole array; where they find a fault, halving the direction finds an entry.
"""

from functools import partial

import numpy as np

from tinytie.gradcheck.ladder import LADDER, extrapolated, slope_along, stretch
from tinytie.gradcheck.numeric import along_direction, along_entry
from tinytie.gradcheck.report import (
    AT_LEAST,
    FAIL,
    PASS,
    UNCHECKED,
    Measured,
    Row,
    integers,
    unchecked,
    vacuous,
)
from tinytie.gradcheck.verdict import SHARP, judged, moves

LARGE = 10_000  # entries, above which directions are taken
DIRECTIONS = 8  # for each array


def check_directions(loss, name, array, analytic, value, settings, rng):
    """Compare ⟨gradient, v⟩ with the slope of the loss along v, for several random unit v."""
    scale = settings.scale * stretch(array).max()
    pairs = [
        pair_along(loss, array, analytic, value, unit(rng, array), scale) for _ in range(DIRECTIONS)
    ]
    size = max(abs(slope.value) for slope, *_ in pairs)
    if not np.isfinite(size):
        return Measured(
            unchecked(name, "the loss is not finite along a random direction"), analytic
        )
    allowed = (settings.tolerance or SHARP) * size
    pairs = [
        (judged(along_direction(loss, array, v), slope, value, given, allowed, scale), given, v)
        for slope, given, v in pairs
    ]
    smooth = [pair for pair in pairs if not pair[0].kink]
    worst = max(smooth or pairs, key=excess)
    row = row_of(name, pairs, worst, size, allowed, settings)
    if row.verdict == FAIL:
        row = located(loss, row, array, analytic, value, worst[2], scale)
    return Measured(
        row, analytic, slope=partial(slope_along, loss, array, value),
        moves=partial(moves, loss, array, value),
    )  # fmt: skip


def row_of(name, pairs, worst, size, allowed, settings):
    """The verdict along the directions, with the worst of them."""
    slope, given, _ = worst
    verdict, reason = PASS, f"{DIRECTIONS} random directions"
    kinks = sum(slope.kink > 0 for slope, *_ in pairs)
    if kinks < DIRECTIONS / 2 and not slope.admits(given, allowed):
        verdict = FAIL
    elif kinks:
        verdict, reason = UNCHECKED, "a kink or a jump of the loss along a random direction"
    elif max(slope.bound for slope, *_ in pairs) > settings.vacuous * size:
        verdict, reason = UNCHECKED, vacuous(size, any(slope.noise > 1e-10 for slope, *_ in pairs))
    if settings.tolerance is not None and verdict != UNCHECKED:
        reason += f", the tolerance asked for is {settings.tolerance:g}"
    scale = size or 1.0
    error, bound = abs(given - slope.value) / scale, (allowed + slope.bound) / scale
    return Row(name, verdict, error, bound, None, given, slope.value, reason)


def unit(rng, array):
    """A random direction of length 1."""
    v = rng.standard_normal(array.shape)
    return v / np.linalg.norm(v)


def pair_along(loss, array, analytic, value, v, scale):
    """(numeric slope, ⟨gradient, v⟩, v)"""
    slope = extrapolated(along_direction(loss, array, v), value, LADDER * scale)
    return slope, float(np.vdot(analytic, v)), v


def excess(pair):
    """How far the pair is beyond its bound."""
    slope, given, _ = pair
    return abs(given - slope.value) - slope.bound


def located(loss, row, array, analytic, value, v, scale):
    """The row of a wrong gradient, with an entry found by halving the direction again and again.

    The row along the direction stays where no single entry stands beyond its own bound.
    """
    places = np.arange(array.size)
    while len(places) > 1:
        halves = np.array_split(places, 2)
        gaps = [gap(loss, array, analytic, value, v, half, scale) for half in halves]
        places = halves[int(np.argmax(gaps))]
    index = integers(np.unravel_index(places[0], array.shape))
    steps = (array[index] + LADDER * scale) - array[index]
    slope = extrapolated(along_entry(loss, array, index), value, steps)
    given = float(analytic[index])
    if slope.kink or slope.admits(given, SHARP * abs(slope.value)):
        return row
    size = abs(slope.value) or 1.0
    return Row(
        row.name, FAIL, abs(given - slope.value) / size, SHARP + slope.bound / size, index, given,
        slope.value, "a random direction shows it; one wrong entry was searched for",
        off=1, size=array.size, pattern=AT_LEAST,
    )  # fmt: skip


def gap(loss, array, analytic, value, v, places, scale):
    """|numeric − analytic| along the part of v that lies in these places."""
    part = np.zeros(array.size)
    part[places] = v.ravel()[places]
    slope, given, _ = pair_along(loss, array, analytic, value, part.reshape(array.shape), scale)
    return np.nan_to_num(abs(slope.value - given), nan=0.0)
