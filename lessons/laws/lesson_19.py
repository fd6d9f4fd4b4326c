"""Lesson 19: soft targets, and the gradient of a loss that forgives a near miss."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import equal, law_of_gradient

N, V, D = 4, 6, 3


def softmax(s, axis=-1):
    exp = np.exp(s - s.max(axis=axis, keepdims=True))
    return exp / exp.sum(axis=axis, keepdims=True)


def targets_law(answer):
    """ỹ = softmax(L u / τ) over the words, u = L[y]."""
    rng = answer.rng
    L, y, tau = rng.standard_normal((V, D)), rng.integers(V, size=N), 2.5
    got = answer.array((N, V), L=L, y=y, tau=tau)
    s, unit = L[y] @ L.T, L / np.linalg.norm(L, axis=1, keepdims=True)
    right = softmax(s / tau)
    if equal(got, right):
        return
    mistakes = {
        "the scores are divided by τ, not multiplied": softmax(s * tau),
        "τ is missing": softmax(s),
        "the softmax is over the words of a row, not over the places": softmax(s / tau, axis=0),
        "the softmax is taken twice: its argument must be scores": softmax(right),
        "these are cosines; the lesson takes dot products": softmax(unit[y] @ unit.T / tau),
        "u is the whole of L: take the rows L[y]": softmax((L @ L.T / tau)[:N]),
    }
    for sentence, wrong in mistakes.items():
        if equal(got, wrong):
            raise Wrong(sentence)
    sums = "" if np.allclose(got.sum(axis=1), 1) else "; its rows must sum to 1"
    raise Wrong(f"row 0 should be {np.round(right[0], 3)}, yours is {np.round(got[0], 3)}{sums}")


def gradient_law(answer):
    """ds is the derivative of J by the scores, ỹ held constant."""
    rng = answer.rng
    s, y, alpha, tau = rng.standard_normal((N, V)), rng.integers(V, size=N), 1.7, 2.5
    y_tilde = softmax(rng.standard_normal((N, V)))

    def loss():
        log_y_hat, log_warm = np.log(softmax(s)), np.log(softmax(s / tau))
        divergence = np.sum(y_tilde * (np.log(y_tilde) - log_warm), axis=1)
        return float(np.mean(alpha * divergence - log_y_hat[np.arange(N), y]))

    got = answer.array((N, V), s=s, y=y, y_tilde=y_tilde, alpha=alpha, tau=tau)
    law_of_gradient(got, loss, s, partial(gradient_mistakes, s, y, y_tilde, alpha, tau))


def gradient_mistakes(s, y, y_tilde, alpha, tau):
    """What each usual mistake would give."""
    onehot = np.eye(V)[y]
    ce, kl = softmax(s) - onehot, alpha * (softmax(s / tau) - y_tilde) / tau
    again = alpha * (softmax(softmax(s) / tau) - y_tilde) / tau
    return {
        "the factor 1/τ of the divergence is missing: s was divided by τ": (ce + tau * kl) / N,
        "the divergence is of softmax(s/τ), and this takes softmax(s)": (
            ce + alpha * (softmax(s) - y_tilde) / tau
        ) / N,
        "the cross-entropy is at τ = 1, and this takes softmax(s/τ) there too": (
            softmax(s / tau) - onehot + kl
        ) / N,
        "the softmax of a softmax: give it scores": (ce + again) / N,
        "the divergence has the wrong sign": (ce - kl) / N,
        "the cross-entropy is missing": kl / N,
        "the divergence is missing": ce / N,
        "α is missing": (ce + kl / alpha) / N,
        "the loss is a mean: divided by N, its gradient is N times smaller": ce + kl,
    }  # fmt: skip


EXERCISES = [Exercise("soft_targets", targets_law), Exercise("augmented_ds", gradient_law)]
