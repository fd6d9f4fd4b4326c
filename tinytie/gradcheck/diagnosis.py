"""What can be told from the arrays alone: a constant factor, a sign, a transpose, only zeros."""

import numpy as np

from tinytie.gradcheck.causes import TELLING, TINY, Fit, chosen
from tinytie.gradcheck.report import FAIL, Report


def diagnosed(measured, numbers):
    """The report of a check of any function."""
    rows = [m.row for m in measured]
    failed = [m for m in measured if m.row.verdict == FAIL]
    if not failed:
        return Report(rows)
    return Report(rows, *chosen(array_fits(failed, numbers)))


def array_fits(failed, numbers):
    """The causes that explain every failed array, from its numbers alone."""
    if any(m.numeric is None for m in failed):
        return []
    fits = [Fit("transposed", names(failed))] if all(map(is_transposed, failed)) else []
    if any(m.analytic.shape != m.numeric.shape for m in failed):
        return fits
    if all(not m.analytic.any() for m in failed):
        fits.append(Fit("all zero", names(failed)))
    return fits + factor_fits(failed, numbers)


def names(failed):
    return "in " + ", ".join(m.row.name for m in failed)


def explains(made, m, error):
    """Whether an array made by hypothesis is the given one, to the measurement's own error."""
    residual = np.abs(m.analytic - m.numeric).max()
    return (
        error <= TELLING * residual and np.abs(m.analytic - made).max() <= TINY * residual + error
    )


def factor_fits(failed, numbers):
    """given = s · right, with one s for each failed array."""
    factors = [factor_of(m) for m in failed]
    if any(s is None for s in factors):
        return []
    if all(s == -1 for s in factors):
        return [Fit("wrong sign", names(failed))]
    said: dict[str, list[str]] = {}
    for m, s in zip(failed, factors, strict=True):
        said.setdefault(origin(s, numbers), []).append(m.row.name)
    words = [f"{factor} in {', '.join(where)}" for factor, where in said.items()]
    return [Fit("constant factor", "; ".join(words))]


def factor_of(m):
    """s where given = s · right in at least three entries that count; None elsewhere."""
    n, size = m.numeric, np.abs(m.numeric).max()
    counted = (np.abs(n) > 1e-3 * size).sum()
    if counted < 3 or not m.analytic.any():
        return None
    s = rounded(float(np.vdot(n, m.analytic) / np.vdot(n, n)), 1e-6 + m.bound / size)
    error = (1 + abs(s)) * m.bound + 1e-9 * np.abs(m.analytic).max()
    return s if explains(s * n, m, error) else None


def rounded(s, tolerance):
    """The whole number, or one over a whole number, that s is to within what can be measured."""
    simple = [round(s)] if abs(s) > 0.5 else [1 / round(1 / s)] if abs(s) > 1e-6 else []
    return next((float(x) for x in simple if abs(s / x - 1) <= tolerance), s)


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


def explains_shape(m):
    """A gradient of the transposed shape, whose transpose is right."""
    if m.analytic.T.shape != m.numeric.shape:
        return False
    off = np.abs(m.analytic.T - m.numeric).max()
    return off <= TINY * np.abs(m.numeric).max() + m.bound


def is_transposed(m):
    """Whether each square block of the array is the transpose of the right one."""
    n = m.numeric
    if m.analytic.shape != n.shape:
        return explains_shape(m)
    if n.ndim != 2 or n.shape[1] < 2 or n.shape[0] % n.shape[1]:
        return False
    blocks = n.reshape(-1, n.shape[1], n.shape[1]).transpose(0, 2, 1).reshape(n.shape)
    return explains(blocks, m, 2 * m.bound + 1e-9 * np.abs(n).max())
