"""Wrong answers to lesson 19. Docstring: the exercise, and what the message must say."""

import numpy as np


def softmax(s, axis=1):
    exp = np.exp(s - s.max(axis=axis, keepdims=True))
    return exp / exp.sum(axis=axis, keepdims=True)


def times_tau(L, y, tau):
    """soft_targets: the scores are divided by τ"""
    return softmax(L[y] @ L.T * tau)


def without_tau(L, y, tau):
    """soft_targets: τ is missing"""
    return softmax(L[y] @ L.T)


def over_places(L, y, tau):
    """soft_targets: the softmax is over the words"""
    return softmax(L[y] @ L.T / tau, axis=0)


def twice(L, y, tau):
    """soft_targets: the softmax is taken twice"""
    return softmax(softmax(L[y] @ L.T / tau))


def of_cosines(L, y, tau):
    """soft_targets: these are cosines"""
    unit = L / np.linalg.norm(L, axis=1, keepdims=True)
    return softmax(unit[y] @ unit.T / tau)


def parts(s, y, y_tilde, tau):
    return softmax(s) - np.eye(s.shape[1])[y], softmax(s / tau) - y_tilde


def tau_forgotten(s, y, y_tilde, alpha, tau):
    """augmented_ds: the factor 1/τ"""
    ce, kl = parts(s, y, y_tilde, tau)
    return (ce + alpha * kl) / len(s)


def cold(s, y, y_tilde, alpha, tau):
    """augmented_ds: the divergence is of softmax(s/τ)"""
    ce, _ = parts(s, y, y_tilde, tau)
    return (ce + alpha * (softmax(s) - y_tilde) / tau) / len(s)


def both_warm(s, y, y_tilde, alpha, tau):
    """augmented_ds: the cross-entropy is at τ = 1"""
    _, kl = parts(s, y, y_tilde, tau)
    return (softmax(s / tau) - np.eye(s.shape[1])[y] + alpha * kl / tau) / len(s)


def softmax_twice(s, y, y_tilde, alpha, tau):
    """augmented_ds: the softmax of a softmax"""
    ce, _ = parts(s, y, y_tilde, tau)
    return (ce + alpha * (softmax(softmax(s) / tau) - y_tilde) / tau) / len(s)


def the_other_way(s, y, y_tilde, alpha, tau):
    """augmented_ds: the divergence has the wrong sign"""
    ce, kl = parts(s, y, y_tilde, tau)
    return (ce - alpha * kl / tau) / len(s)


def divergence_alone(s, y, y_tilde, alpha, tau):
    """augmented_ds: the cross-entropy is missing"""
    return alpha * parts(s, y, y_tilde, tau)[1] / tau / len(s)


def a_sum(s, y, y_tilde, alpha, tau):
    """augmented_ds: divided by N"""
    ce, kl = parts(s, y, y_tilde, tau)
    return ce + alpha * kl / tau
