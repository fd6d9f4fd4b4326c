"""Lesson 17: causal attention weights, and a tied matrix whose lookup is scaled by √d."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import law_of_gradient
from tinytie.course.shelf import laws_of
from tinytie.gradcheck.numeric import numeric_gradient
from tinytie.ops.attention import attention_forward
from tinytie.ops.softmax import softmax

lesson_04 = laws_of("04")
T, D_K = 5, 3
V, D = 7, 4
ROOT = np.sqrt(D)
BATCH = np.array([[1, 4, 1, 0], [2, 4, 2, 5]]), np.array([[4, 1, 0, 1], [4, 2, 5, 0]])


def weights_law(answer):
    """The weights must be the softmax of the scaled scores of the past, itself included."""
    rng = answer.rng
    q, k = rng.standard_normal((2, T, D_K))
    got = answer.array((T, T), q=q, k=k)
    _, cache = attention_forward(q, k, np.eye(T, D_K))
    if np.allclose(got, cache.A, rtol=0, atol=1e-9):
        explain_large_scores(answer, q, k)
        return
    for sentence, wrong in wrong_weights(q, k).items():
        if np.allclose(got, wrong, rtol=0, atol=1e-9):
            raise Wrong(sentence)
    explain_pattern(got, cache.A)


def explain_large_scores(answer, q, k):
    """The same weights, once more where exp(score) is beyond what a float holds."""
    big = answer.array((T, T), q=1e4 * q, k=k)
    _, cache = attention_forward(1e4 * q, k, np.eye(T, D_K))
    if not np.allclose(big, cache.A, rtol=0, atol=1e-9):
        raise Wrong("with large scores the weights are off: is the largest one subtracted first?")


def wrong_weights(q, k):
    """What each usual mistake would give."""
    s = q @ k.T
    past, scaled = np.tri(T, dtype=bool), s / np.sqrt(D_K)

    def masked(scores, allowed=past):
        return softmax(np.where(allowed, scores, -np.inf))

    return {
        "the mask comes after the softmax: the rows no longer sum to one": np.where(
            past, softmax(scaled), 0
        ),
        "nothing is masked: a place reads the words that it is asked for": softmax(scaled),
        "the triangle is the wrong one: each place sees itself and the future": masked(
            scaled, past.T
        ),
        "the scores are not divided by √d_k": masked(s),
        "the scores are divided by d_k, and must be by its root": masked(s / D_K),
        "the scores are divided by √T; the root is that of the width d_k": masked(s / np.sqrt(T)),
        "a query and a key are swapped: row t belongs to the query of place t": masked(scaled.T),
        "the future gets the score 0, and exp(0) is 1: it must get −∞": softmax(
            np.where(past, scaled, 0)
        ),
        "these are the scores; their softmax is asked for": np.where(past, scaled, 0),
        "each column sums to one, and each row must: a place divides its look": (
            columns_softmax(scaled, past)
        ),
    }


def columns_softmax(s, allowed):
    """The softmax down the columns instead of along the rows."""
    return softmax(np.where(allowed, s, -np.inf).T).T


def explain_pattern(got, right):
    if np.abs(np.triu(got, 1)).max() > 1e-9:
        t, j = np.argwhere(np.abs(np.triu(got, 1)) > 1e-9)[0]
        raise Wrong(f"place {t + 1} looks at place {j + 1}, which comes later; that weight is 0")
    sums = got.sum(axis=1)
    if not np.allclose(sums, 1):
        t = int(np.abs(sums - 1).argmax())
        raise Wrong(f"the weights of place {t + 1} sum to {sums[t]:.6g}, and must sum to 1")
    t, j = np.unravel_index(np.abs(got - right).argmax(), right.shape)
    raise Wrong(
        f"the weight of place {t + 1} on place {j + 1} is {got[t, j]:.6f}, "
        f"and should be {right[t, j]:.6f}"
    )


def scaled_law(answer):
    """dE must be the total derivative of the loss with the scaled lookup."""
    rng = answer.rng
    E, W = 0.5 * rng.standard_normal((V, D)), 0.5 * rng.standard_normal((D, D))
    x, y = BATCH
    dE = answer.array((V, D), E=E, W=W, x=x, y=y)

    def loss():
        return lesson_04.loss_of(ROOT * E, E, W, x, y)

    law_of_gradient(dE, loss, E, partial(mistakes, E, W, x, y), [str(i) for i in range(V)])


def mistakes(E, W, x, y):
    """What each usual mistake would return."""
    by_rows, dE_out, de = parts_of_scaled(E, W, x, y)
    dE_in = ROOT * by_rows
    plain_in, plain_out, _ = lesson_04.parts_of(E, W, x, y)
    lost, both = dE_out.copy(), E.copy()
    lost[x] += ROOT * de
    return {
        "the factor is missing from the lookup's path: e = √D · E[x], so √D · de comes back to "
        "E[x]": by_rows + dE_out,
        "the factor stands on the output path too; the scores are not scaled": dE_in
        + ROOT * dE_out,
        "the factor is on the wrong path: it belongs to the lookup's": by_rows + ROOT * dE_out,
        "the backward divides by the factor; where the forward multiplies by √D, the backward "
        "multiplies too": by_rows / ROOT + dE_out,
        "the factor is there twice, D instead of √D": D * by_rows + dE_out,
        "the forward has no factor: this is the gradient of lesson 04": plain_in + plain_out,
        "the factor is in the backward, and not in the forward": ROOT * plain_in + plain_out,
        "√D stands on the scores too, in the forward: it belongs to the lookup alone": (
            numeric_gradient(lambda: lesson_04.loss_of(ROOT * both, ROOT * both, W, x, y), both)
        ),
        "√D stands on the scores, in the forward: it belongs to the lookup": numeric_gradient(
            lambda: lesson_04.loss_of(both, ROOT * both, W, x, y), both
        ),
        "the output path is missing": dE_in,
        "the input path is missing": dE_out,
        "repeated tokens lost: `dE[x] += …` keeps one place of a word that occurs twice": lost,
    }


def parts_of_scaled(E, W, x, y):
    """Partial derivatives by finite differences: by the scaled rows, by the scores' E, by e."""
    rows, E_out = ROOT * E, E.copy()
    e = rows[x]
    return (
        numeric_gradient(lambda: lesson_04.loss_of(rows, E_out, W, x, y), rows),
        numeric_gradient(lambda: lesson_04.loss_of(rows, E_out, W, x, y), E_out),
        numeric_gradient(lambda: lesson_04.loss_above(e, E_out, W, y), e),
    )


EXERCISES = [Exercise("causal_weights", weights_law), Exercise("scaled_backward", scaled_law)]
