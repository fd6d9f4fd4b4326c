"""One array: every entry by a central difference, and a second look where that is in doubt."""

from functools import partial
from typing import NamedTuple

import numpy as np

from tinytie.gradcheck.diagnosis.pattern import pattern_of
from tinytie.gradcheck.ladder import (
    COARSE,
    LADDER,
    WIDE,
    extrapolated,
    slope_along,
    small_jump_near,
    stretch,
)
from tinytie.gradcheck.numeric import (
    along_direction,
    along_entry,
    central,
    differences,
    roundoff,
    tried,
)
from tinytie.gradcheck.report import (
    FAIL,
    PASS,
    ROUGH,
    UNCHECKED,
    Measured,
    Row,
    integers,
    unchecked,
    vacuous,
)

RELATIVE = 1e-6  # of the array's largest gradient: what a central difference is held to
SHARP = 1e-8  # the same for the worst entries, once they are measured by extrapolation
OWN = 1e-6  # of an entry's own gradient: so that small entries are seen beside large ones
BACKWARD = 1e-12  # of the array's largest: what a right backward's own rounding may do
VACUOUS = 2e-5  # an error bound above this share of the gradient leaves nothing to compare
SMALL = 1e5  # times the bound: entries below are measured again with coarser steps
WORST, MOST = 4, 64  # how many entries get a second look: always, and where they look wrong
NEAR = 0.1  # where jumps of the loss are looked for
STEP = 1e-5  # the usual one, for which the ladder is made


class Settings(NamedTuple):
    """How an array is measured, and what it is held to."""

    step: float = STEP
    tolerance: float | None = None  # of the array's largest; None for the usual ones

    @property
    def relative(self):
        return RELATIVE if self.tolerance is None else self.tolerance

    @property
    def vacuous(self):
        return max(VACUOUS, self.relative)

    @property
    def scale(self):
        """How much longer the ladder is than usual."""
        return self.step / STEP

    def sharp(self, size, given, numeric):
        """What an entry measured by extrapolation is held to, beside the error of that."""
        if self.tolerance is not None:
            return self.tolerance * size
        own = OWN * np.maximum(np.abs(given), np.abs(numeric)) + BACKWARD * size
        return np.minimum(SHARP * size, own)


def check_array(loss, name, array, analytic, value, settings):
    """Compare the given gradient of one array with differences of `loss()`; value is the loss.

    A central difference for each entry screens: |a − n| <= 1e-6 max|n| + noise / step. The worst
    entries, all beyond that bound, and all that are small beside it, are measured again by
    extrapolation, and only this second look can fail the array, or find that a kink leaves no
    derivative to compare with.
    """
    looks = SecondLook(loss, array, analytic, value, settings)
    looks.run()
    return looks.measured(name)


def along_all(loss, array):
    """f(h): the loss with the whole array moved by h along one direction."""
    v = np.sin(np.arange(1.0, array.size + 1)).reshape(array.shape)
    return along_direction(loss, array, v / np.linalg.norm(v))


def moves(loss, array, value):
    """Whether the loss changes where the whole array moves far."""
    rng = np.random.default_rng(0)
    f = along_direction(loss, array, rng.standard_normal(array.shape))
    with np.errstate(all="ignore"):
        return any(safe(f, h) != value for h in (0.1, -0.1, 1.0, -1.0, 10.0, -10.0, 100.0, -100.0))


def safe(f, step):
    """f(step), or None where it cannot be computed."""
    try:
        return f(step)
    except Exception:
        return None


def judged(f, slope, value, given, allowed, scale, jump=small_jump_near):
    """The slope to judge `given` by: the finest steps', or the coarse ones' where these fit.

    A loss in small steps, as a solver's that stops at its tolerance, looks smooth between two of
    them; only wide steps show its noise, or a search for small jumps: jump(f, reach).
    """
    if slope.kink or slope.admits(given, allowed):
        return slope
    wide = extrapolated(f, value, WIDE * scale)
    if wide.admits(given, allowed) and is_noisy(f, wide, value, scale):
        return wide
    most = 0.1 * max(abs(given), abs(slope.value))  # beyond, such a jump would explain nothing
    if abs(given - slope.value) > most:
        return slope
    rough = slope._replace(bound=slope.bound + jump(f, NEAR * scale) / COARSE[2])
    return rough if rough.bound < most and rough.admits(given, allowed) else slope


def is_noisy(f, wide, value, scale):
    """Whether f strays from its slope by the same at its finest wide steps: else it bends."""
    if wide.kink or wide.noise <= 100 * roundoff(value):
        return False
    strays = [abs(central(f, value, h)[0] - wide.value) * h for h in WIDE[-3:] * scale]
    return max(strays) > 0.05 * wide.noise


class SecondLook:
    """Extrapolation at the entries in doubt, the worst first; improves numeric and bounds there."""

    def __init__(self, loss, array, analytic, value, settings):
        self.loss, self.array, self.analytic, self.value = loss, array, analytic, value
        self.settings = settings
        self.along_all = along_all(loss, array)
        every = extrapolated(self.along_all, value, LADDER * settings.scale * stretch(array).max())
        self.noise, self.grid = max(every.noise, roundoff(value)), every.grid
        self.jump = None  # looked for where it matters
        steps = settings.step * stretch(array)
        self.numeric, self.bends = differences(loss, array, value, steps)
        self.bounds = np.array(self.noise / steps)
        self.failed, self.kinks, self.noisy, self.undefined = [], [], [], []
        self.looked = set()

    def measured(self, name):
        """What the looks have found."""
        what = self.loss, self.array, self.value
        return Measured(
            verdict_of(name, self), self.analytic, self.numeric, float(np.median(self.bounds)),
            partial(slope_along, *what), partial(moves, *what),
        )  # fmt: skip

    @property
    def size(self):
        """The largest gradient of the array, kinks left out."""
        smooth = np.isfinite(self.numeric)
        for index in self.kinks:
            smooth[index] = False
        return np.abs(self.numeric[smooth]).max(initial=0.0)

    def off(self):
        """|analytic − numeric|; infinite where the loss is not defined beside the point."""
        return np.nan_to_num(np.abs(self.analytic - self.numeric), nan=np.inf, posinf=np.inf)

    def run(self):
        """The entries that look bent, then those in doubt, the worst first."""
        self.measure_small_entries()
        bent = np.abs(self.bends) > 1e-2 * self.size + 4 * self.bounds
        for index in [integers(i) for i in np.argwhere(bent)][:MOST]:
            self.look(index)
        order = np.argsort(-self.off(), axis=None, kind="stable")[: MOST + len(self.looked)]
        for count, flat in enumerate(order):
            index = integers(np.unravel_index(flat, self.array.shape))
            if self.in_doubt(index, always=count < WORST):
                self.look(index)
        self.failed = [index for index in self.failed if self.is_off(index)]
        rest = [i for i in self.looked if i not in self.kinks + self.undefined + self.failed]
        self.noisy = [i for i in rest if self.bounds[i] > self.settings.vacuous * self.size]

    def is_off(self, index):
        """Whether a measured entry is beyond what it is held to."""
        given, numeric = self.analytic[index], self.numeric[index]
        sharp = self.settings.sharp(self.size, given, numeric)
        return not abs(given - numeric) <= sharp + self.bounds[index]

    def measure_small_entries(self):
        """Coarser steps, extrapolated, for entries that noise would drown; the better of both."""
        largest = np.maximum(np.abs(self.analytic), np.abs(self.numeric))
        vague = self.bounds > self.settings.vacuous * self.size  # so that zeros are seen too
        small = ((largest > 0) | vague) & (largest < SMALL * self.bounds)
        for index in map(integers, np.argwhere(small)):
            f, steps = self.along(index)
            slope = extrapolated(f, self.value, steps[: len(COARSE)], self.grid)
            if slope.bound < self.bounds[index]:
                self.numeric[index], self.bounds[index] = slope.value, slope.bound

    def in_doubt(self, index, always):
        """Whether the screen leaves anything to be seen at an entry."""
        off, bound, size = self.off()[index], self.bounds[index], self.size
        gross = off > 100 * (self.settings.relative * size + bound)
        if gross and self.failed and np.isfinite(off):
            return False  # as wrong as the one that was measured
        sharp = self.settings.sharp(size, self.analytic[index], self.numeric[index])
        own = off > max(sharp, 1e-4 * abs(self.analytic[index])) + bound
        held = SHARP if always and self.settings.tolerance is None else self.settings.relative
        return bool(off > held * size + bound or own)

    def along(self, index):
        """(f, steps): the loss along one entry, and the ladder of steps that the sum makes."""
        entry = self.array[index]
        steps = LADDER * self.settings.scale * stretch(entry)
        return along_entry(self.loss, self.array, index), (entry + steps) - entry

    def look(self, index):
        """Measure one entry again, and judge it."""
        if index in self.looked:
            return
        self.looked.add(index)
        f, steps = self.along(index)
        slope, given = self.best_slope(f, index, steps), self.analytic[index]
        if slope.kink:
            self.kinks.append(index)
            return
        if not np.isfinite(slope.value):
            self.undefined.append(index)
            return
        allowed = self.settings.sharp(max(self.size, abs(slope.value)), given, slope.value)
        scale = self.settings.scale * stretch(self.array[index])
        slope = judged(f, slope, self.value, given, allowed, scale, self.small_jump)
        self.numeric[index], self.bounds[index] = slope.value, slope.bound
        if self.is_off(index):
            self.failed.append(index)

    def small_jump(self, f, reach):
        """The size of small jumps of the loss, along this entry or along all."""
        if self.jump is None:
            self.jump = max(small_jump_near(g, reach) for g in (f, self.along_all))
        return self.jump

    def best_slope(self, f, index, steps):
        """By the ladder, or by one as fine as the entry itself where that ends too early."""
        slope, entry = extrapolated(f, self.value, steps, self.grid), abs(self.array[index])
        defined = np.isfinite([tried(f, steps[0]), tried(f, -steps[0])]).all()
        if defined or slope.bound <= self.settings.vacuous * self.size or not 0 < entry < 1:
            return slope
        finer = extrapolated(f, self.value, LADDER * entry)
        return finer if finer.bound < slope.bound else slope


def verdict_of(name, looks):
    """The row: the worst entry that failed, or the worst of all."""
    off, size, settings = looks.off(), looks.size, looks.settings
    index = max(looks.failed, key=lambda i: off[i]) if looks.failed else worst_of(off, looks)
    given, numeric = float(looks.analytic[index]), float(looks.numeric[index])
    held = settings.relative * size
    if index in looks.looked:
        held = settings.sharp(size, given, numeric)
    allowed = held + looks.bounds[index]
    verdict, reason = PASS, ""
    if looks.failed:
        verdict = FAIL
    elif looks.undefined:
        where = looks.undefined[0]
        return unchecked(name, f"the loss is not finite beside {list(where)}", where)
    elif looks.kinks or looks.noisy:
        verdict, reason = UNCHECKED, why_in_doubt(looks)
    elif looks.bounds.max() > settings.vacuous * size:
        verdict, reason = UNCHECKED, vacuous(size, looks.noise > 100 * roundoff(looks.value))
    if settings.tolerance is not None and verdict != UNCHECKED:
        reason = f"the tolerance asked for is {settings.tolerance:g}"
    scale = size or 1.0
    row = Row(
        name, verdict, float(off[index] / scale), float(allowed / scale), index, given, numeric,
        reason, size=off.size,
    )  # fmt: skip
    return row if verdict != FAIL else with_pattern(row, looks)


def worst_of(off, looks):
    """The entry that is off most, kinks left out where there are others."""
    rest = np.where(np.isfinite(off), off, -1.0)
    for index in looks.kinks:
        rest[index] = -1.0
    return integers(np.unravel_index(rest.argmax(), off.shape))


def with_pattern(row, looks):
    """How many entries are off, and where they are."""
    wrong = np.array(looks.off() > looks.settings.relative * looks.size + looks.bounds)
    for index in looks.looked:
        wrong[index] = index in looks.failed
    return Row(**row.__dict__ | {"off": int(wrong.sum()), "pattern": pattern_of(wrong)})


def why_in_doubt(looks):
    """Why no derivative could be taken at some entries."""
    if looks.kinks:
        count = len(looks.kinks)
        others = f", the first of {count} such entries" if count > 1 else ""
        where = list(looks.kinks[0])
        return f"a kink or a jump of the loss inside the step at {where}{others}"
    where = list(looks.noisy[0])
    return f"{ROUGH} at {where}: the loss is too rough there"
