"""Lesson 20: the gradient of a mixture of softmaxes, and what of a gradient passes the head."""

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import law_of_gradient

N, K, V, D = 4, 3, 6, 2


def softmax(s):
    exp = np.exp(s - s.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)


def mixture_law(answer):
    """da and ds are the derivatives of −log Σ_k π_k ŷ_k[y], a mean over the places."""
    rng = answer.rng
    a, s, y = rng.standard_normal((N, K)), rng.standard_normal((N, K, V)), rng.integers(V, size=N)

    def loss():
        p = np.sum(softmax(a)[..., np.newaxis] * softmax(s), axis=1)
        return float(-np.mean(np.log(p[np.arange(N), y])))

    shapes = {"da": (N, K), "ds": (N, K, V)}
    got = answer.arrays(shapes, pi=softmax(a), y_hats=softmax(s), y=y)
    da_mistakes, ds_mistakes = mixture_mistakes(softmax(a), softmax(s), y)
    law_of_gradient(got["da"], loss, a, lambda: da_mistakes, name="da")
    law_of_gradient(got["ds"], loss, s, lambda: ds_mistakes, name="ds")


def mixture_mistakes(pi, y_hats, y):
    """What each usual mistake would give, of da and of ds."""
    at_target = y_hats[np.arange(N), :, y]
    r = pi * at_target / np.sum(pi * at_target, axis=1, keepdims=True)
    gap = (y_hats - np.eye(V)[y][:, np.newaxis]) / N
    mean = "the loss is a mean: its gradient is divided by N"
    of_a = {
        "the sign is wrong: the more a state did, the more its score should rise": (r - pi) / N,
        "the shares must sum to 1: divide π_k ŷ_k[y] by p[y]": pi * (1 - at_target) / N,
        "the shares must sum to 1: divide π_k ŷ_k[y] by p[y], here too": (pi - pi * at_target) / N,
        "this is −r: what was expected of the state, π, is missing": -r / N,
        mean: pi - r,
    }
    of_s = {
        "each state is weighed by what was expected of it, π; take its share r of p[y]": (
            pi[..., np.newaxis] * gap
        ),
        "every state is told the whole: weigh it by its share r of p[y]": gap,
        "onehot(y) is missing": r[..., np.newaxis] * y_hats / N,
        mean: N * r[..., np.newaxis] * gap,
    }
    return of_a, of_s


def share_law(answer):
    """‖ds Q‖² / ‖ds‖² with an orthonormal basis Q of E's columns."""
    rng = answer.rng
    ds, E = rng.standard_normal((N, V)), rng.standard_normal((V, D)) * np.array([3.0, 0.4])
    E[:, 1] += 0.5 * E[:, 0]  # not at right angles
    got = answer.number(ds=ds, E=E)
    Q, _ = np.linalg.qr(E)
    right, whole = np.sum((ds @ Q) ** 2) / np.sum(ds**2), np.sum(ds**2)
    if np.isclose(got, right, rtol=1e-6):
        return
    unit = E / np.linalg.norm(E, axis=0)
    mistakes = {
        "the columns of E are no orthonormal basis of their space": np.sum((ds @ E) ** 2) / whole,
        "columns of length 1 are not yet at right angles": np.sum((ds @ unit) ** 2) / whole,
        "this is the share of the length; its square is asked for": np.sqrt(right),
        "this is what is lost": 1 - right,
        "D/V is what chance gives; measure this ds": D / V,
        "this is what passes, not which share of the whole it is": right * whole,
    }
    for sentence, wrong in mistakes.items():
        if np.isclose(got, wrong, rtol=1e-6):
            raise Wrong(sentence)
    raise Wrong(f"the share is {right:.6f}, yours is {got:.6f}")


EXERCISES = [Exercise("mixture_backward", mixture_law), Exercise("share_that_passes", share_law)]
