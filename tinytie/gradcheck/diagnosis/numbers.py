"""What can be told from the arrays alone: a constant factor, a sign, a transpose, only zeros."""

from typing import NamedTuple

import numpy as np

from tinytie.gradcheck.diagnosis.causes import (
    FEW,
    KINK,
    NO_MORE,
    ODD,
    SMALL,
    TELLING,
    TINY,
    Fit,
    chosen,
)
from tinytie.gradcheck.directions import unit
from tinytie.gradcheck.report import FAIL, Report, wrong_arrays

PROBES = 3  # random directions for each wrong array
ENOUGH = 3  # entries with one ratio, below which a constant factor explains nothing


class Probe(NamedTuple):
    """One direction of one wrong array: what was given along it, and what is right."""

    name: str
    v: np.ndarray
    given: float
    right: float
    error: float  # of `right`
    wrong: float  # |given − right|, the largest of the array's directions: to be explained

    def explained_by(self, slope):
        """Whether a hypothesis with this slope along v makes what was given."""
        error = self.error + slope.bound + 1e-12 * abs(self.given)
        if slope.kink or error > TELLING * self.wrong:
            return False
        return abs(self.given - slope.value) <= TINY * self.wrong + error


def diagnosed(measured, numbers):
    """The report of a check of any function."""
    rows = [m.row for m in measured]
    failed = [m for m in measured if m.row.verdict == FAIL]
    if not failed:
        return Report(rows)
    probes = probes_of(failed)
    said = chosen(array_fits(failed, probes, numbers), why_none(failed, probes))
    return Report(rows, *said, wrong=wrong_arrays(failed))


def probes_of(failed):
    """Row name -> its probes, by differences of the loss; empty where an array has none."""
    if any(m.slope is None for m in failed):
        return {}
    return {m.row.name: probes_of_array(m) for m in failed}


def probes_of_array(m):
    """Random directions of length 1, and the right slope along each."""
    rng = np.random.default_rng(0)
    vs = [unit(rng, m.analytic) for _ in range(PROBES)]
    given, slopes = [float(np.vdot(m.analytic, v)) for v in vs], [m.slope(v) for v in vs]
    wrong = max(abs(g - slope.value) for g, slope in zip(given, slopes, strict=True))
    return [
        Probe(m.row.name, v, g, slope.value, np.inf if slope.kink else slope.bound, wrong)
        for v, g, slope in zip(vs, given, slopes, strict=True)
    ]


def array_fits(failed, probes, numbers):
    """The causes that explain every failed array, from its numbers alone."""
    if all(is_unsummed(m) for m in failed):
        return [Fit("sum missing", names(failed))]
    if any(explains_shape(m) for m in failed):
        return shape_fits(failed)
    if not probes:
        return []
    transposed = all(is_transposed(m, probes[m.row.name]) for m in failed)
    fits = [Fit("transposed", names(failed))] if transposed else []
    if all(not m.analytic.any() for m in failed):
        fits.append(Fit("all zero", names(failed)))
    return fits + factor_fits(failed, probes, numbers)


def why_none(failed, probes):
    """What is said about these arrays where no cause fits."""
    if not probes:
        return ODD
    flat = [name for name, each in probes.items() if not any(probe.right for probe in each)]
    if flat:
        return flat_loss([m for m in failed if m.row.name in flat])
    every = [probe for m in failed for probe in probes[m.row.name]]
    if any(probe.error == np.inf for probe in every):
        return KINK
    if any(probe.error > TELLING / 3 * probe.wrong for probe in every):
        return SMALL
    if all(factor_of(probes[m.row.name]) is not None for m in failed):
        return FEW
    return NO_MORE


def flat_loss(failed):
    """Why a loss has no slope: it reads other arrays, or is flat at this point."""
    words = ", ".join(m.row.name for m in failed)
    if any(m.moves is not None and m.moves() for m in failed):
        return f"the loss is flat at this point along {words}, and moves only farther away"
    return f"the loss does not change at all with {words}: does it read other arrays?"


def names(failed):
    return "in " + ", ".join(m.row.name for m in failed)


def factor_fits(failed, probes, numbers):
    """given = s · right, with one s for each failed array."""
    factors = [factor_of(probes[m.row.name]) for m in failed]
    if any(s is None for s in factors) or not all(enough(s, factors, failed) for s in factors):
        return []
    if all(s == -1 for s in factors):
        return [Fit("wrong sign", names(failed))]
    said: dict[str, list[str]] = {}
    for m, s in zip(failed, factors, strict=True):
        said.setdefault(origin(s, numbers), []).append(m.row.name)
    words = [f"{factor} in {', '.join(where)}" for factor, where in said.items()]
    return [Fit("constant factor", "; ".join(words))]


def factor_of(probes):
    """s where given = s · right along every direction; None where no s explains the array."""
    given, right = (np.array([getattr(p, side) for p in probes]) for side in ("given", "right"))
    error, scale = max(p.error for p in probes), min(probes[0].wrong, np.abs(given).max())
    if not given.any() or not error < np.abs(right).max():
        return None
    s = rounded(float(np.vdot(right, given) / np.vdot(right, right)), error / np.abs(right).max())
    error = (1 + abs(s)) * error + 1e-12 * np.abs(given).max()
    misfit = np.abs(given - s * right).max()
    return s if error <= TELLING * scale and misfit <= TINY * scale + error else None


def enough(s, factors, failed):
    """Whether the factor s is seen in enough entries, over all arrays that have it."""
    pairs = zip(factors, failed, strict=True)
    return sum(counted(m) for other, m in pairs if abs(other / s - 1) < 1e-6) >= ENOUGH


def counted(m):
    """How many entries are large enough to show a ratio."""
    return int((np.abs(m.analytic) > 1e-3 * np.abs(m.analytic).max()).sum())


def rounded(s, tolerance):
    """The whole number, or one over a whole number, that s is to within what can be measured."""
    simple = [round(s)] if abs(s) > 0.5 else [1 / round(1 / s)] if abs(s) > 1e-6 else []
    return next((float(x) for x in simple if abs(s / x - 1) <= 1e-9 + tolerance), s)


def origin(s, numbers):
    """The factor, and which of the known numbers it is."""
    found = [word for word, value in products(numbers).items() if abs(s / value - 1) < 1e-6]
    return f"{s:.6g}" + (f" = {' or '.join(found)}" if found else "")


def products(numbers):
    """Each number, its inverse, and its root, by what they are called."""
    known: dict[str, float] = {}
    for name, value in numbers.items():
        if value and value > 0 and value != 1:
            known |= {name: value, f"1/{name}": 1 / value}
            known |= {f"√{name}": value**0.5, f"1/√{name}": value**-0.5}
    return known


def is_unsummed(m):
    """A gradient with more axes in front than its parameter, over which its sum is right."""
    n, extra = m.numeric, m.analytic.ndim - (0 if m.numeric is None else m.numeric.ndim)
    if (
        n is None
        or extra < 1
        or m.analytic.shape[extra:] != n.shape
        or m.analytic.dtype.kind != "f"
    ):
        return False
    total = m.analytic.sum(axis=tuple(range(extra)))
    return np.abs(total - n).max() <= 1e-6 * np.abs(n).max() + m.bound


def explains_shape(m):
    """A gradient of the transposed shape, whose transpose is right."""
    n = m.numeric
    if n is None or m.analytic.shape == n.shape or m.analytic.T.shape != n.shape:
        return False
    return np.abs(m.analytic.T - n).max() <= 1e-6 * np.abs(n).max() + m.bound


def shape_fits(failed):
    """All are transposed: some have the transposed shape, the square ones may not show it."""
    others = [m for m in failed if not explains_shape(m)]
    probes = probes_of(others)
    turned_too = all(m.slope and is_transposed(m, probes.get(m.row.name, [])) for m in others)
    return [Fit("transposed", names(failed))] if turned_too else []


def is_transposed(m, probes):
    """Whether each square block of the array is the transpose of the right one."""
    n, shape = m.numeric, m.analytic.shape
    if len(shape) != 2 or shape[0] % shape[1]:
        return False
    if n is not None and not np.allclose(m.analytic, turned(n), 1e-3, 1e-3 * np.abs(n).max()):
        return False
    return bool(probes) and all(p.explained_by(m.slope(turned(p.v))) for p in probes)


def turned(a):
    """Each square block of a tall matrix transposed; twice gives the matrix again."""
    return a.reshape(-1, a.shape[1], a.shape[1]).transpose(0, 2, 1).reshape(a.shape)
