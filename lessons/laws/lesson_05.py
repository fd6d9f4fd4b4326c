"""Lesson 05: a difference quotient that is exact where it can be, and a tolerance without holes."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import equal

STEP = 0.5


def numeric_law(answer):
    """For a quadratic loss a central difference is exact, at any step; a one-sided one is not."""
    rng = answer.rng
    for shape in ((3, 2), (4,)):
        array = rng.standard_normal(shape)
        Q = rng.standard_normal((array.size, array.size))
        got = answer.array(shape, loss=partial(quadratic, Q), array=array, step=STEP)
        exact = ((Q + Q.T) @ array.ravel()).reshape(shape)
        if not equal(got, exact):
            raise Wrong(explain_numeric(got, exact, np.diag(Q).reshape(shape)))


def quadratic(Q, array):
    """aᵀ Q a for the entries a of the array."""
    return float(array.ravel() @ Q @ array.ravel())


def explain_numeric(got, exact, bend):
    """bend: half the second derivative of each entry, which a one-sided difference picks up."""
    if equal(got, exact + STEP * bend):
        return (
            "this is one-sided, loss(a + step) − loss(a): its error falls only with step, not step²"
        )
    if equal(got, exact - STEP * bend):
        return (
            "this is one-sided, loss(a) − loss(a − step): its error falls only with step, not step²"
        )
    if equal(got, 2 * exact):
        return "every entry is twice too large: the two points lie 2 · step apart"
    if equal(got, -exact):
        return "the sign is wrong: it is loss(a + step) minus loss(a − step)"
    if equal(got, exact * 2 * STEP):
        return "the difference is not divided by 2 · step"
    if equal(got, np.full_like(exact, exact.sum())):
        return "all entries were bumped at once: bump one, and put it back before the next"
    off = np.flatnonzero(~np.isclose(got, exact).ravel())
    if 0 not in off:
        return "the first entry is right and later ones are not: is each bump taken back?"
    i = off[0]
    return f"entry {i} is {got.ravel()[i]:.6g} and should be {exact.ravel()[i]:.6g}"


def agrees_law(answer):
    """Right gradients pass and wrong ones fail, whether they are large or small."""
    rng = answer.rng
    for size in (1.0, 1e-6, 1e4):
        numeric = size * rng.standard_normal((4, 3))
        numeric[0, 0] = 0.0
        noise = 1e-9 * size * rng.standard_normal((4, 3))  # what differences leave
        if not answer.yes(analytic=numeric + noise, numeric=numeric):
            raise Wrong(explain_alarm(answer, numeric, noise, size))
        wrong = numeric.copy()
        wrong[1] *= 1.5
        if answer.yes(analytic=wrong, numeric=numeric):
            raise Wrong(
                f"a gradient of size {size:g} with a row that is half too large passes: the "
                "tolerance must be relative to the array's own size, or small numbers slip through"
            )
        one_off = numeric.copy()
        one_off[2, 1] += 0.01 * size
        if answer.yes(analytic=one_off, numeric=numeric):
            raise Wrong(
                f"a gradient of size {size:g} with one entry off by a hundredth of it passes: look "
                "at the worst entry, not at a mean"
            )
    if answer.yes(analytic=np.full((4, 3), np.nan), numeric=numeric):
        raise Wrong("a gradient of NaN passes: every comparison with NaN is False, so ask for <=")


def explain_alarm(answer, numeric, noise, size):
    """Why a right gradient was rejected."""
    noise[0, 0] = 0.0
    if answer.yes(analytic=numeric + noise, numeric=numeric):
        return (
            "a right gradient is rejected: where an entry is 0, its rounding is infinitely large "
            "beside it; compare with the largest entry of the array, not entry by entry"
        )
    return (
        f"a right gradient of size {size:g}, off by one part in 10⁹, is rejected: differences "
        "round, and the tolerance must leave room for that at every size"
    )


EXERCISES = [Exercise("numeric_gradient", numeric_law), Exercise("agrees", agrees_law)]
