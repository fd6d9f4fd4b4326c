"""Wrong answers to lesson 05. Docstring: the exercise, and what the message must say."""

import numpy as np


def differences(loss, array, above, below, width):
    gradient = np.zeros(array.shape)
    for index in np.ndindex(array.shape):
        up, down = array.copy(), array.copy()
        up[index] += above
        down[index] -= below
        gradient[index] = (loss(up) - loss(down)) / width
    return gradient


def forward_only(loss, array, step):
    """numeric_gradient: this is one-sided, loss(a + step) − loss(a)"""
    return differences(loss, array, step, 0, step)


def backward_only(loss, array, step):
    """numeric_gradient: this is one-sided, loss(a) − loss(a − step)"""
    return differences(loss, array, 0, step, step)


def one_step_wide(loss, array, step):
    """numeric_gradient: the two points lie 2 · step apart"""
    return differences(loss, array, step, step, step)


def upside_down(loss, array, step):
    """numeric_gradient: the sign is wrong"""
    return differences(loss, array, -step, -step, 2 * step)


def all_at_once(loss, array, step):
    """numeric_gradient: all entries were bumped at once"""
    slope = (loss(array + step) - loss(array - step)) / (2 * step)
    return np.full(array.shape, slope)


def never_put_back(loss, array, step):
    """numeric_gradient: is each bump taken back?"""
    gradient, moved = np.zeros(array.shape), array.copy()
    for index in np.ndindex(array.shape):
        moved[index] += step
        above = loss(moved)
        moved[index] -= 2 * step
        gradient[index] = (above - loss(moved)) / (2 * step)
    return gradient


def bumps_the_original(loss, array, step):
    """numeric_gradient: it changes its argument array in place"""
    for index in np.ndindex(array.shape):
        array[index] += step
    return array


def fixed_tolerance(analytic, numeric):
    """agrees: np.allclose's atol, hides what is small"""
    return np.abs(analytic - numeric).max() < 1e-5


def allclose(analytic, numeric):
    """agrees: np.allclose's atol, hides what is small"""
    return np.allclose(analytic, numeric)


def entry_by_entry(analytic, numeric):
    """agrees: not entry by entry"""
    with np.errstate(all="ignore"):
        return (np.abs(analytic - numeric) <= 1e-6 * np.abs(numeric)).all()


def exactly(analytic, numeric):
    """agrees: a right gradient of size 1"""
    return np.array_equal(analytic, numeric)


def of_the_mean(analytic, numeric):
    """agrees: look at the worst entry, not at a mean"""
    return np.abs(analytic - numeric).mean() <= 0.01 * np.abs(numeric).max()


def nan_slips_through(analytic, numeric):
    """agrees: a gradient of NaN passes"""
    return not np.abs(analytic - numeric).max() > 1e-6 * np.abs(numeric).max()


def every_entry(analytic, numeric):
    """agrees: it must return True or False, and returns an array of dtype bool"""
    return np.abs(analytic - numeric) <= 1e-6 * np.abs(numeric).max()


def tight(analytic, numeric):
    """agrees: a right gradient of size 10000"""
    return np.abs(analytic - numeric).max() <= 1e-6 * min(1, np.abs(numeric).max())


def step_of_its_own(loss, array, step):
    """numeric_gradient: another step written into"""
    return differences(loss, array, 1e-3, 1e-3, 2e-3)


def not_divided(loss, array, step):
    """numeric_gradient: is not divided by 2 · step"""
    return differences(loss, array, step, step, 1)


def times_width(loss, array, step):
    """numeric_gradient: multiplied by 2 · step"""
    return differences(loss, array, step, step, 1 / (2 * step))


def over_square(loss, array, step):
    """numeric_gradient: divided by step²"""
    return differences(loss, array, step, step, step**2)


def width_of_one(loss, array, step):
    """numeric_gradient: is not divided by 2 · step"""
    return differences(loss, array, step, step, 1.0)


def too_wide(loss, array, step):
    """numeric_gradient: half as large"""
    return differences(loss, array, step, step, 4 * step)


def fixed_width(loss, array, step):
    """numeric_gradient: times what it should be"""
    return differences(loss, array, step, step, 2e-5)


def signed_maximum(analytic, numeric):
    """agrees: absolute value of the difference"""
    return bool((analytic - numeric).max() <= 1e-6 * np.abs(numeric).max())


def norms_only(analytic, numeric):
    """agrees: compare the entries, not their lengths"""
    return bool(np.isclose(np.linalg.norm(analytic), np.linalg.norm(numeric), rtol=1e-6, atol=0))


def sums_only(analytic, numeric):
    """agrees: sums are the same"""
    return bool(np.isclose(analytic.sum(), numeric.sum(), rtol=1e-6, atol=0))


def absolute_sums(analytic, numeric):
    """agrees: the entries"""
    return bool(np.isclose(np.abs(analytic).sum(), np.abs(numeric).sum(), rtol=1e-6, atol=0))


def cosine_only(analytic, numeric):
    """agrees: a cosine does not see a factor"""
    return bool(
        np.sum(analytic * numeric)
        >= (1 - 1e-9) * np.linalg.norm(analytic) * np.linalg.norm(numeric)
    )


def signs_only(analytic, numeric):
    """agrees: passes"""
    return bool((np.sign(analytic[1:]) == np.sign(numeric[1:])).all())


def summed_difference(analytic, numeric):
    """agrees: sums"""
    return bool(abs(np.sum(analytic - numeric)) <= 1e-6 * np.abs(numeric).max())


def largest_only(analytic, numeric):
    """agrees: the entries"""
    return bool(np.isclose(np.abs(analytic).max(), np.abs(numeric).max(), rtol=1e-6, atol=0))


def wide(analytic, numeric):
    """agrees: one entry is off by a hundredth"""
    return bool(np.abs(analytic - numeric).max() <= 0.02 * np.abs(numeric).max())
