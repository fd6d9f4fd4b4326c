"""Lesson 05: a difference quotient that is exact where it can be, and a tolerance without holes."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import equal


def numeric_law(answer):
    """For a quadratic loss a central difference is exact, at any step; a one-sided one is not. A
    cubic one shows the step: the difference is off by exactly step² times its coefficient.
    """
    rng = answer.rng
    for shape in ((3, 2), (4,)):
        array, step = rng.standard_normal(shape), float(rng.uniform(0.2, 0.4))
        Q = rng.standard_normal((array.size, array.size))
        got = answer.array(shape, loss=partial(quadratic, Q), array=array, step=step)
        exact = ((Q + Q.T) @ array.ravel()).reshape(shape)
        if not equal(got, exact):
            raise Wrong(explain_numeric(got, exact, np.diag(Q).reshape(shape), step))
        bent = answer.array(shape, loss=partial(cubic, Q), array=array, step=step)
        if not equal(bent, exact + 3 * array**2 + step**2):
            raise Wrong(
                f"the points do not lie {step:.3f} from the entry, the step that was given: is "
                "another step written into the function?"
            )


def quadratic(Q, array):
    """aᵀ Q a for the entries a of the array."""
    return float(array.ravel() @ Q @ array.ravel())


def cubic(Q, array):
    """The same and Σ a³."""
    return quadratic(Q, array) + float(np.sum(array**3))


def explain_numeric(got, exact, bend, step):
    """bend: half the second derivative of each entry, which a one-sided difference picks up."""
    if equal(got, exact + step * bend):
        return (
            "this is one-sided, loss(a + step) − loss(a): its error falls only with step, not step²"
        )
    if equal(got, exact - step * bend):
        return (
            "this is one-sided, loss(a) − loss(a − step): its error falls only with step, not step²"
        )
    known = {
        "every entry is twice too large: the two points lie 2 · step apart": 2 * exact,
        "every entry is half as large as it should be: the two points lie 2 · step apart": (
            exact / 2
        ),
        "the sign is wrong: it is loss(a + step) minus loss(a − step)": -exact,
        "the difference is not divided by 2 · step": 2 * step * exact,
        "the difference is multiplied by 2 · step: divide": 4 * step**2 * exact,
        "it is divided by step²: divide by 2 · step": 2 * exact / step,
    }
    for said, wrong in known.items():
        if equal(got, wrong):
            return said
    if equal(got, np.full_like(exact, exact.sum())):
        return "all entries were bumped at once: bump one, and put it back before the next"
    ratio = float(np.sum(got * exact) / np.sum(exact * exact))
    if equal(got, ratio * exact):
        return (
            f"every entry is {ratio:.4g} times what it should be: the two points lie 2 · step "
            "apart, whatever the step is"
        )
    off = np.flatnonzero(~np.isclose(got, exact).ravel())
    if 0 not in off:
        return "the first entry is right and later ones are not: is each bump taken back?"
    i = off[0]
    return f"entry {i} is {got.ravel()[i]:.6g} and should be {exact.ravel()[i]:.6g}"


def agrees_law(answer):
    """Right gradients pass and wrong ones fail, whether they are large or small."""
    rng = answer.rng
    for size in (1.0, 1e-8, 1e4):
        numeric = size * rng.standard_normal((4, 3))
        numeric[0, 0] = 0.0
        noise = 1e-9 * size * rng.standard_normal((4, 3))  # what differences leave
        if not answer.yes(analytic=numeric + noise, numeric=numeric):
            raise Wrong(explain_alarm(answer, numeric, noise, size))
        for said, wrong in wrong_gradients(numeric, size).items():
            if answer.yes(analytic=wrong, numeric=numeric):
                if size < 1:  # the same was rejected at size 1
                    raise Wrong(
                        "at size 1 it rejects this wrong gradient, and at size 10⁻⁸ it lets it "
                        "pass: an absolute tolerance, such as np.allclose's atol, hides what is "
                        "small; make it relative to the array's largest entry"
                    )
                raise Wrong(f"a gradient of size {size:g} passes, in which {said}")
    if answer.yes(analytic=np.full((4, 3), np.nan), numeric=numeric):
        raise Wrong("a gradient of NaN passes: every comparison with NaN is False, so ask for <=")


def wrong_gradients(numeric, size):
    """What is wrong, and what to look at -> the gradient."""
    lifted, lowered, both, one_off = (numeric.copy() for _ in range(4))
    lifted[1] *= 1.5
    lowered[2, 1] -= size
    both[1, 1] += size
    both[3, 2] -= size
    one_off[2, 1] += 0.01 * np.abs(numeric).max()
    return {
        "one row is half too large: the tolerance is too wide": lifted,
        "everything has the wrong sign: compare the entries, not their lengths": -numeric,
        "one entry is far too small: take the absolute value of the difference": lowered,
        "the entries of two rows are exchanged: norms and sums are the same; compare entry by "
        "entry": numeric[[0, 2, 1, 3]],
        "one entry is too large and another as much too small: sums cancel; take the absolute "
        "value of each difference first": both,
        "one entry is off by a hundredth of the largest: look at the worst entry, not at a mean": (
            one_off
        ),
        "every entry is twice too large: a cosine does not see a factor": 2 * numeric,
        "every entry is a hundredth too large: a cosine does not see a factor": 1.01 * numeric,
    }


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
