"""Lesson 06: the total derivative of a matrix with three uses."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import law_of_gradient
from tinytie.gradcheck.numeric import numeric_gradient

V, D = 7, 4
CASES = [
    (np.array([1, 4, 2]), np.array([4, 2, 0]), np.array([5, 6, 3])),  # nothing twice
    (np.array([1, 4, 1]), np.array([4, 1, 0]), np.array([4, 6, 6])),  # twice in x, twice in z
]


def loss_of(E_in, E_start, E_out, W, U, x, y, z):
    """h = tanh(W e + U h0) with e = E_in[x] and h0 = E_start[z]; the scores are E_out h."""
    return loss_above(E_in[x], E_start[z], E_out, W, U, y)


def loss_above(e, h0, E_out, W, U, y):
    s = np.tanh(e @ W.T + h0 @ U.T) @ E_out.T
    s = s - s.max(axis=1, keepdims=True)
    return float(np.mean(np.log(np.exp(s).sum(axis=1)) - s[np.arange(len(y)), y]))


def three_uses_law(answer):
    """Bump the one matrix, and all three uses of it move."""
    rng = answer.rng
    for x, y, z in CASES:
        E, W, U = (rng.standard_normal(shape) for shape in ((V, D), (D, D), (D, D)))
        dE = answer.array((V, D), E=E, W=W, U=U, x=x, y=y, z=z)
        rows = [str(i) for i in range(V)]
        loss = partial(total, E, W, U, x, y, z)
        law_of_gradient(dE, loss, E, partial(mistakes, E, W, U, x, y, z), rows)


def total(E, W, U, x, y, z):
    return loss_of(E, E, E, W, U, x, y, z)


def mistakes(E, W, U, x, y, z):
    """What each usual mistake would return, from finite differences of the loss."""
    E_in, E_start, E_out = E.copy(), E.copy(), E.copy()
    loss = partial(loss_of, E_in, E_start, E_out, W, U, x, y, z)
    lookup, start, scores = (numeric_gradient(loss, copy) for copy in (E_in, E_start, E_out))
    e, h0 = E[x], E[z]
    above = partial(loss_above, e, h0, E, W, U, y)
    de, dh0 = numeric_gradient(above, e), numeric_gradient(above, h0)
    all_lost = scores.copy()
    all_lost[x] += de
    all_lost[z] += dh0
    start_lost = lookup + scores
    start_lost[z] += dh0
    lookup_lost = start + scores
    lookup_lost[x] += de
    return {
        "the third use is missing: E also started h0": lookup + scores,
        "the lookup of x is missing: this is the start and the scores": start + scores,
        "the scores are missing: this is both lookups": lookup + start,
        "only the scores are there: both lookups are missing": scores,
        "only the lookup of x is there: E also started h0 and made the scores": lookup,
        "only the start is there: E was also looked up by x and made the scores": start,
        "this is the mean of the three paths; by the chain rule they add": (
            (lookup + start + scores) / 3
        ),
        "the start is counted twice": lookup + 2 * start + scores,
        "the lookup of x is counted twice": 2 * lookup + start + scores,
        "the scores are counted twice": lookup + start + 2 * scores,
        "repeated tokens lost: `dE[x] += de` keeps one place of a word that occurs twice": all_lost,
        "repeated tokens lost in z: a word that starts two sentences collects both": start_lost,
        "repeated tokens lost in x: a word that occurs twice collects both places": lookup_lost,
        "the start's gradient went to the rows of x; h0 was looked up by z": (
            lookup + scores + scattered(dh0, x, E)
        ),
        "the lookup and the start have changed places: de belongs to x, dh0 to z": (
            scores + scattered(dh0, x, E) + scattered(de, z, E)
        ),
    }


def scattered(rows, x, E):
    dE = np.zeros_like(E)
    np.add.at(dE, x, rows)
    return dE


def count_law(answer):
    """d/dE of E^a E^b … at a number: for a product of n equal factors, n E^(n−1)."""
    for uses in (1, 2, 3, 5):
        t = float(answer.rng.uniform(1.2, 1.9))
        got = answer.number(t=t, uses=uses)
        if np.isclose(got, uses * t ** (uses - 1)):
            continue
        if np.isclose(got, t ** (uses - 1)):
            raise Wrong("this is one partial derivative; the total adds one for each use of t")
        if np.isclose(got, t**uses):
            raise Wrong("this is the product itself, not its derivative")
        raise Wrong(f"for t = {t:.6g} used {uses} times the derivative is not {got:.6g}")


EXERCISES = [Exercise("derivative_of_product", count_law), Exercise("three_uses", three_uses_law)]
