"""Lesson 03: shifted targets, the gradient of the cross-entropy, and a loss with one mistake."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import equal, law_of_gradient, law_of_value
from tinytie.gradcheck.numeric import numeric_gradient
from tinytie.ops.softmax import cross_entropy_forward, softmax

N, V = 3, 7


def shift_law(answer):
    """x asks, y answers: y is one word ahead, and no word is asked without an answer."""
    for n in (5, 2):
        words = answer.rng.permutation(V)[:n].tolist()
        got = answer(words=words)
        try:
            x, y = ([int(i) for i in part] for part in got)
        except (TypeError, ValueError, OverflowError):
            raise Wrong("it must return two lists of token ids, x and y") from None
        explain_shift(x, y, words)


def explain_shift(x, y, words):
    n = len(words)
    if len(x) != len(y):
        raise Wrong(f"x holds {len(x)} words and y {len(y)}: every question needs one answer")
    if x and x == y:
        raise Wrong("y equals x: the model would be asked to repeat the word it sees")
    if y == words[:-1] and x == words[1:]:
        raise Wrong("x and y are swapped: this asks for the word before, not for the next one")
    if len(x) == n:
        raise Wrong(f"{n} words give {n - 1} questions: after the last word there is no answer")
    if len(x) < n - 1:
        hint = ": is y too far on?" if y and y == words[n - len(y) :] else ""
        raise Wrong(f"{n} words give {n - 1} questions, and these are {len(x)}{hint}")
    if [*x, *y[-1:]] != words or y != words[1:]:
        raise Wrong(f"for the words {words}, x = {x} and y = {y} do not ask for each next word")


def cross_entropy_law(answer):
    """ds must be the derivative of the mean loss with respect to the scores."""
    s, y = 2 * answer.rng.standard_normal((N, V)), targets(answer.rng)
    ds = answer.array((N, V), s=s, y=y)
    names = [f"of place {i}" for i in range(N)]
    law_of_gradient(ds, lambda: cross_entropy_forward(s, y)[0], s, partial(suspects, s, y), names)


def targets(rng):
    """Three, two of them the same word."""
    return rng.permutation(V)[[0, 1, 0]]


def suspects(s, y):
    """What each usual mistake would return, each from the derivative of some loss."""

    def derivative(loss):
        return numeric_gradient(lambda: loss(s), s)

    right = derivative(lambda s: cross_entropy_forward(s, y)[0])
    at_target = np.zeros((N, V))
    at_target[np.arange(N), y] = 1 / N
    return {
        "the −1 is missing: every row of ds must sum to zero, and yours sum to 1/N": right
        + at_target,
        "the −1 is missing, and so is the mean over the N places": N * (right + at_target),
        "the −1 and the mean are out of step: divide both the probability and the 1 by N": right
        - (N - 1) * at_target,
        "a factor of N: the loss is a mean over the N places, and this is the gradient of a sum": (
            N * right
        ),
        "divided by N twice: the mean over the places is taken once": right / N,
        "divided by V: the mean is over the N places, not over the words": N / V * right,
        "the sign is wrong: the loss falls when the score of the target rises": -right,
        "the sign is wrong, and the mean over the N places is missing": -N * right,
        "the target is off by one: the −1 stands one word too far to the right": derivative(
            lambda s: cross_entropy_forward(s, (y + 1) % V)[0]
        ),
        "the target is off by one: the −1 stands one word too far to the left": derivative(
            lambda s: cross_entropy_forward(s, (y - 1) % V)[0]
        ),
        "the targets belong to the next place: y[t] already is the word after x[t]": derivative(
            lambda s: cross_entropy_forward(s, np.roll(y, -1))[0]
        ),
        "softmax twice: the probabilities went through a second softmax": derivative_at(
            softmax(s), y
        ),
        "there is no softmax: the scores are not yet probabilities": s / N - at_target,
        "the softmax runs over the places; it must run over the words of each place": (
            softmax(s.T).T / N - at_target
        ),
        "the softmax runs over the whole array at once; it must run over each place alone": (
            softmax(s.reshape(1, -1)).reshape(s.shape) / N - at_target
        ),
        "this is the whole matrix −1/N · onehot: the probabilities are missing": -at_target,
    }


def derivative_at(s, y):
    """The derivative of the mean loss at other scores."""
    return numeric_gradient(lambda: cross_entropy_forward(s, y)[0], s)


def mean_loss_law(answer):
    """ln V where all scores are equal, near 0 where the target is far ahead, and in nats."""
    rng = answer.rng
    y = targets(rng)
    zero = answer.number(s=np.zeros((N, V)), y=y)
    far = np.zeros((N, V))
    far[np.arange(N), y] = 50
    certain = answer.number(s=far, y=y)
    s = rng.standard_normal((N, V))
    got = answer.number(s=s, y=y)
    if np.isclose(certain, np.log(1 + (V - 1) / np.e)):
        raise Wrong(
            f"softmax twice: with the target 50 ahead the loss should be 0 and is {certain:.3f}; "
            "probabilities lie between 0 and 1, so a second softmax cannot tell them apart"
        )
    explain_zero(zero)
    if np.isclose(zero, -np.log(1 / V + 1e-8), atol=1e-12, rtol=0):
        raise Wrong("1e-8 is added inside the logarithm: take the logarithm of the sum of exp")
    if not np.isclose(certain, 0):
        raise Wrong(f"with the target's score 50 ahead the loss should be 0, and is {certain:.3f}")
    shares = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    expected = -np.log(shares[np.arange(N), y]).mean()
    if not equal(np.array([got]), np.array([expected])):
        raise Wrong(f"for random scores the loss is {got:.6f} and should be {expected:.6f}")
    try:
        huge = answer.number(s=1e4 * s, y=y)
    except Wrong:
        raise Wrong(
            "for scores of size 10,000 it is NaN or infinite: exp or log is out of range"
        ) from None
    if not np.isclose(huge, (1e4 * (s.max(axis=1) - s[np.arange(N), y])).mean()):
        raise Wrong(f"for scores of size 10,000 it gives {huge:.6g}, which is far off")


def explain_zero(zero):
    """At equal scores every word has probability 1/V."""
    if np.isclose(zero, N * np.log(V)):
        raise Wrong(f"this is the sum over the {N} places; the loss is their mean")
    if np.isclose(zero, np.log2(V)):
        raise Wrong("this is in bits; the loss is in nats, with the natural logarithm")
    if np.isclose(zero, -np.log(V)):
        raise Wrong("the sign is wrong: a loss is −log of a probability, and never below 0")
    if not np.isclose(zero, np.log(V)):
        raise Wrong(f"where all scores are equal the loss should be ln V, and is {zero:.3f}")


def softmax_law(answer):
    """Probabilities by row, for scores of every size."""
    s = answer.rng.standard_normal((N, V))
    exps = np.exp(s)
    mistakes = {
        "this is exp(s): divide each row by its sum": exps,
        "the sum runs over the whole array; it must run over each row alone": exps / exps.sum(),
        "the sum runs over the places; it must run over the words of each place": exps
        / exps.sum(axis=0),
        "these are logarithms of probabilities": np.log(softmax(s)),
        "the scores are divided by their sum: exp is missing": s / s.sum(axis=1, keepdims=True),
        "softmax twice": softmax(softmax(s)),
        "the sign is wrong: a larger score must get a larger probability": softmax(-s),
    }
    law_of_value(answer.array((N, V), s=s), softmax(s), mistakes)
    for size in (1e4, -1e4):
        large = size + 10 * s
        try:
            got = answer.array((N, V), s=large)
        except Wrong:
            raise Wrong(
                f"for scores near {size:g} it gives NaN or infinity: take the largest score of "
                "each row away first, which changes no probability"
            ) from None
        law_of_value(got, softmax(large), {}, f"for scores near {size:g}")
    spread = np.array([[0.0, 5000.0, -5000.0], [-5000.0, -5000.0, -4999.0]])
    try:
        got = answer.array((2, 3), s=spread)
    except Wrong:
        raise Wrong(
            "it gives NaN where one row's scores lie far below another's: the largest score must "
            "be taken from each row, not from the whole array"
        ) from None
    law_of_value(got, softmax(spread), {}, "where rows are far apart")


def scores_law(answer):
    """s = h Eᵀ + c."""
    D = 4
    shapes = ((N, D), (V, D), (V,))
    h, E, c = (answer.rng.standard_normal(shape) for shape in shapes)
    mistakes = {
        "the bias c is missing": h @ E.T,
        "the bias is subtracted": h @ E.T - c,
        "the bias is added twice": h @ E.T + 2 * c,
        "these are probabilities: the softmax comes later": softmax(h @ E.T + c),
        "the rows are scaled to length 1: a score is a dot product, not a cosine": h
        @ (E / np.linalg.norm(E, axis=1, keepdims=True)).T
        + c,
        "the scores are divided by √D: that belongs to attention": h @ E.T / np.sqrt(D) + c,
    }
    law_of_value(answer.array((N, V), h=h, E=E, c=c), h @ E.T + c, mistakes)


def scores_backward_law(answer):
    """Each of three gradients is the derivative of Σ ds ∘ (h Eᵀ + c)."""
    D = 4
    shapes = {"h": (N, D), "E": (V, D), "c": (V,)}
    arrays = {name: answer.rng.standard_normal(shape) for name, shape in shapes.items()}
    h, E, c = arrays.values()
    ds = answer.rng.standard_normal((N, V))
    got = answer.arrays({"dh": (N, D), "dE": (V, D), "dc": (V,)}, ds=ds, h=h, E=E)
    mean = "the mean over the places is taken; every place that used it adds"
    mistakes = {
        "c": {mean: ds.mean(axis=0), "only the first place is there": ds[0]},
        "E": {
            mean: ds.T @ h / N, "only the first place is there": np.outer(ds[0], h[0]),
            "this is ds transposed times a row of E; dE = dsᵀ h": ds.T @ ds @ E,
        },
        "h": {"each row of E adds with its own ds": np.tile(E.sum(axis=0), (N, 1))},
    }  # fmt: skip
    for name in ("c", "E", "h"):
        law_of_gradient(
            got[f"d{name}"], lambda: float(np.sum(ds * (h @ E.T + c))), arrays[name],
            partial(mistakes.__getitem__, name), name=f"d{name}",
        )  # fmt: skip


EXERCISES = [
    Exercise("inputs_and_targets", shift_law),
    Exercise("cross_entropy_backward", cross_entropy_law),
    Exercise("mean_loss", mean_loss_law),
    Exercise("softmax", softmax_law),
    Exercise("scores", scores_law),
    Exercise("scores_backward", scores_backward_law),
    Exercise("cross_entropy", mean_loss_law),
]
