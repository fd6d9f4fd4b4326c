"""Lesson 01: a lookup is a product with one-hot rows, and what tying saves."""

import numpy as np

from tinytie.course.answers import Exercise, Wrong, numbers_of


def onehot_law(answer):
    """onehot(x, V) @ E must be E[x], for ids of any shape and any E."""
    rng = answer.rng
    for shape in ((5,), (2, 3)):
        x = rng.integers(0, 5, shape)
        x.flat[:2] = 0, 4  # the last words of the vocabulary do not occur
        got = answer(x=x, V=7)
        if getattr(got, "shape", None) == (*shape, 5):
            raise Wrong(
                "the rows are as wide as this batch needs; they must be V wide, whatever occurs"
            )
        got = numbers_of(got, (*shape, 7))
        explain_onehot(got, x)


def explain_onehot(got, x):
    E = np.random.default_rng(2).standard_normal((7, 3))
    if np.array_equal(got @ E, E[x]):
        return
    if set(np.unique(got)) - {0.0, 1.0}:
        raise Wrong("a one-hot row holds zeros and a single 1, and yours holds other numbers")
    ones = got.sum(axis=-1)
    if (ones != 1).any():
        place = tuple(int(i) for i in np.argwhere(ones != 1)[0])
        raise Wrong(f"the row of x{list(place)} holds {ones[place]:.0f} ones, and must hold one")
    shift = (got.argmax(axis=-1) - x) % 7
    if (shift == shift.flat[0]).all():
        raise Wrong("every 1 stands next to its place: the ids count from 0")
    raise Wrong("the 1 of each row must stand at that row's own token id, and some do not")


def embedding_parameters_law(answer):
    """One V × D matrix where tied, two where not."""
    for V, D in (answer.rng.integers(5, 99, 2).tolist(), (50_257, 768)):
        one, two = answer.number(V=V, D=D, tied=True), answer.number(V=V, D=D, tied=False)
        if (one, two) == (V * D, 2 * V * D):
            continue
        if (one, two) == (2 * V * D, V * D):
            raise Wrong("tied and untied are swapped: tying keeps one matrix instead of two")
        if one == two:
            raise Wrong("tied and untied give the same count, but tying leaves one matrix out")
        if (one, two) == (V * D / 2, V * D):
            raise Wrong("the tied matrix is a whole V × D one; it is the untied model that has two")
        if (one, two) == (V + D, 2 * (V + D)):
            raise Wrong("a matrix of V rows and D columns holds V times D numbers, not V plus D")
        raise Wrong(f"for V = {V}, D = {D} you count {one:g} tied and {two:g} untied: not so")


def share_saved_law(answer):
    """What tying takes away, over all the untied model has; from there, the size of the rest."""
    for V, D, other in ((50_257, 768, 85_842_432), answer.rng.integers(5, 99, 3).tolist()):
        got = answer.number(V=V, D=D, other=other)
        left = V * D + other
        before = left + V * D
        if np.isclose(before * (1 - got), left, rtol=1e-9):
            continue
        if np.isclose(got, 0.5):
            raise Wrong("a half is the share of the embedding parameters; the rest is not halved")
        if np.isclose(got * left, V * D):
            raise Wrong("this divides by the tied model's size; the share is of the untied one")
        if np.isclose(got * before, 2 * V * D):
            raise Wrong("this is the share of both matrices; tying takes one of them away")
        if np.isclose(before * got, left):
            raise Wrong("this is the share that is left, not the share that is saved")
        if np.isclose(got, 100 * (1 - left / before)):
            raise Wrong("this is in percent; the share is a number between 0 and 1")
        raise Wrong(
            f"for V = {V}, D = {D} and {other} other parameters you say {got:g}; untied there are "
            f"{before} parameters, and that share of them away does not leave {left}"
        )


EXERCISES = [
    Exercise("onehot", onehot_law),
    Exercise("embedding_parameters", embedding_parameters_law),
    Exercise("share_saved", share_saved_law),
]
