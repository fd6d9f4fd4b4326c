"""Lesson 04: the gradient of a matrix that is used twice, and which wrong rules a check rejects."""

from functools import partial
from typing import NamedTuple

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import law_of_gradient
from tinytie.gradcheck import check_gradients
from tinytie.gradcheck.numeric import numeric_gradient
from tinytie.ops.embedding import embedding_forward
from tinytie.ops.linear import linear_forward
from tinytie.ops.softmax import (
    cross_entropy_backward,
    cross_entropy_forward,
    softmax_loss_forward,
)

V, D = 7, 4
# two sentences of three words; in the first batch no word is looked up twice
ONCE = np.array([[1, 4, 2], [6, 0, 5]]), np.array([[4, 2, 0], [0, 5, 3]])
TWICE = np.array([[1, 4, 1], [6, 1, 0]]), np.array([[4, 1, 0], [1, 0, 5]])


def loss_of(E_in, E_out, W, x, y):
    """e = E_in[x],  h = tanh(W e),  the mean cross-entropy of the scores E_out h."""
    e, _ = embedding_forward(x, E_in)
    return loss_above(e, E_out, W, y)


def loss_above(e, E_out, W, y):
    """The same from the looked-up rows on."""
    a, _ = linear_forward(e, W)
    return softmax_loss_forward(np.tanh(a), E_out, None, y)[0]


class Parts(NamedTuple):
    """Partial derivatives, by finite differences: of the loss alone, not of anybody's formula."""

    dE_in: np.ndarray  # (V, D)
    dE_out: np.ndarray  # (V, D)
    de: np.ndarray  # (B, T, D)


def parts_of(E, W, x, y):
    E_in, E_out = E.copy(), E.copy()
    e = E[x]
    return Parts(
        numeric_gradient(lambda: loss_of(E_in, E_out, W, x, y), E_in),
        numeric_gradient(lambda: loss_of(E_in, E_out, W, x, y), E_out),
        numeric_gradient(lambda: loss_above(e, E_out, W, y), e),
    )


def tied_law(answer):
    """dE must be the total derivative: bump the one matrix, and both uses of it move."""
    rng = answer.rng
    for x, y in (ONCE, TWICE):
        E, W = rng.standard_normal((V, D)), rng.standard_normal((D, D))
        dE = answer.array((V, D), E=E, W=W, x=x, y=y)
        suspects = partial(mistakes, E, W, x, y)
        rows = [f"{i} ({'looked up' if i in x else 'only scored'})" for i in range(V)]
        law_of_gradient(dE, partial(loss_of, E, E, W, x, y), E, suspects, rows)


def mistakes(E, W, x, y):
    """What each usual mistake would return."""
    dE_in, dE_out, de = parts_of(E, W, x, y)
    straight = linear_backwards(E, W, x, y)  # as if tanh had slope 1
    lost = dE_out.copy()
    lost[x] += de
    lost_in = np.zeros_like(E)
    lost_in[x] = de
    in_place = dE_out.copy()
    in_place[x] = de
    B, T = x.shape
    first = parts_of(E, W, x[:1], y[:1])
    e, h = E[x].reshape(B * T, D), np.tanh(E[x] @ W.T).reshape(B * T, D)
    ds = cross_entropy_backward(1.0, cross_entropy_forward(h @ E.T, y.ravel())[1])
    dh, a = ds @ E, e @ W.T
    rows = ((1 - h * h) * dh).reshape(B, T, D)
    return {
        "only the first sentence of the batch is there": first.dE_in + first.dE_out,
        "only the first sentence of the batch is there, divided by all places": (
            (first.dE_in + first.dE_out) / B
        ),
        "the loss is a mean over all B · T places; this divides by the steps alone": B
        * (dE_in + dE_out),
        "the loss is a mean over all B · T places; this divides by the sentences alone": T
        * (dE_in + dE_out),
        "the loss is a mean over all B · T places, and this is the gradient of their sum": B
        * T
        * (dE_in + dE_out),
        "W is transposed on the way back: forward W e, so for rows de = da W": dE_out
        + scattered(rows @ W.T, x, E),
        "the slope of tanh is taken at a: it is 1 − h², and h = tanh(a)": dE_out
        + scattered((((1 - a * a) * dh) @ W).reshape(B, T, D), x, E),
        "the slope 1 − h is not that of tanh: the square is missing": dE_out
        + scattered((((1 - h) * dh) @ W).reshape(B, T, D), x, E),
        "dE_out is dsᵀ h; this has the looked-up rows e in the place of h": dE_in + ds.T @ e,
        "the lookup's gradient is collected at the targets y; it belongs to the words x": dE_out
        + scattered(rows @ W, y, E),
        "the input path is missing: this is the gradient of the scores alone, but E was also "
        "looked up": dE_out,
        "the output path is missing: this is the gradient of the lookup alone, but E also made "
        "the scores": dE_in,
        "this is the mean of the two paths; by the chain rule they add": (dE_in + dE_out) / 2,
        "the two paths are subtracted; by the chain rule they add": dE_out - dE_in,
        "the input path is counted twice": 2 * dE_in + dE_out,
        "the output path is counted twice": dE_in + 2 * dE_out,
        "repeated tokens lost: `dE[x] += de` keeps one place of a word that occurs twice": lost,
        "repeated tokens lost in the input path, and the output path is missing": lost_in,
        "the lookup overwrites rows that the output path had filled: add to them": in_place,
        "the lookup's rows replace those of the output path: add them": np.where(
            dE_in != 0, dE_in, dE_out
        ),
        "the slope of tanh, 1 − h², is missing from the input path": dE_out + straight,
        "the input path stops at h: it must go on through W": dE_out + without_w(E, W, x, y),
    }


def dh_and_slope(E, W, x, y):
    """The derivative with respect to h, and the slope of tanh, both numeric or plain."""
    h = np.tanh(E[x] @ W.T)
    dh = numeric_gradient(lambda: softmax_loss_forward(h, E, None, y)[0], h)
    return dh, 1 - h * h


def scattered(rows, x, E):
    dE = np.zeros_like(E)
    np.add.at(dE, x, rows)
    return dE


def linear_backwards(E, W, x, y):
    dh, _ = dh_and_slope(E, W, x, y)
    return scattered(dh @ W, x, E)


def without_w(E, W, x, y):
    dh, slope = dh_and_slope(E, W, x, y)
    return scattered(slope * dh, x, E)


def wrong_rules(parts, x):
    """The five rules of the exercise: number -> the array that the rule gives."""
    dE_in, dE_out, de = parts
    replaced, lost = dE_out.copy(), dE_out.copy()
    replaced[x] = dE_in[x]
    lost[x] += de
    return {1: dE_out, 2: dE_in, 3: (dE_in + dE_out) / 2, 4: replaced, 5: lost}


def rejected(x, y):
    """The numbers of the rules that a gradient check rejects on this batch."""
    rng = np.random.default_rng(8)
    E, W = rng.standard_normal((V, D)), rng.standard_normal((D, D))
    rules = wrong_rules(parts_of(E, W, x, y), x)

    def passes(dE):
        loss = lambda _: loss_of(E, E, W, x, y)  # noqa: E731
        return check_gradients(loss, {"E": E}, {"E": dE}).verdict == "PASS"

    return {number for number, dE in rules.items() if not passes(dE)}


def prediction_law(answer):
    """The sets that the check itself finds, on a batch without and with a repeated word."""
    for batch, repeats in ((ONCE, False), (TWICE, True)):
        got = answer(repeats=repeats)
        try:
            said = {int(number) for number in got}
        except (TypeError, ValueError):
            raise Wrong("it must return a set of rule numbers, such as {1, 2}") from None
        explain_prediction(said, rejected(*batch), repeats)


def explain_prediction(said, found, repeats):
    where = "where a word is looked up twice" if repeats else "where no word is looked up twice"
    if unknown := said - set(range(1, 6)):
        raise Wrong(f"the rules are numbered 1 to 5, and you name {max(unknown)}")
    if found - said:
        raise Wrong(f"rule {min(found - said)}: {where}, the check rejects it, and you let it pass")
    if said - found:
        raise Wrong(f"rule {min(said - found)}: {where}, the check lets it pass: what is lost?")


EXERCISES = [Exercise("tied_backward", tied_law), Exercise("rejected", prediction_law)]
