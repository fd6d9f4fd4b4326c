"""Wrong answers to lesson 20. Docstring: the exercise, and what the message must say."""

import numpy as np


def pieces(pi, y_hats, y):
    N, _, V = y_hats.shape
    at_target = pi * y_hats[np.arange(N), :, y]
    r = at_target / at_target.sum(axis=1, keepdims=True)
    return N, r, y_hats - np.eye(V)[y][:, np.newaxis]


def weighed_by_the_prior(pi, y_hats, y):
    """mixture_backward: ds: each state is weighed by what was expected of it"""
    N, r, gap = pieces(pi, y_hats, y)
    return (pi - r) / N, pi[..., np.newaxis] * gap / N


def not_weighed(pi, y_hats, y):
    """mixture_backward: ds: every state is told the whole"""
    N, r, gap = pieces(pi, y_hats, y)
    return (pi - r) / N, gap / N


def weights_sign(pi, y_hats, y):
    """mixture_backward: da: the sign is wrong"""
    N, r, gap = pieces(pi, y_hats, y)
    return (r - pi) / N, r[..., np.newaxis] * gap / N


def weights_by_probability(pi, y_hats, y):
    """mixture_backward: da: the shares must sum to 1"""
    N, r, gap = pieces(pi, y_hats, y)
    at_target = y_hats[np.arange(N), :, y]
    return (pi - pi * at_target) / N, r[..., np.newaxis] * gap / N


def a_sum(pi, y_hats, y):
    """mixture_backward: da: the loss is a mean"""
    _, r, gap = pieces(pi, y_hats, y)
    return pi - r, r[..., np.newaxis] * gap


def through_e_itself(ds, E):
    """share_that_passes: the columns of E are no orthonormal basis"""
    return np.sum((ds @ E) ** 2) / np.sum(ds**2)


def unit_columns(ds, E):
    """share_that_passes: columns of length 1 are not yet at right angles"""
    return np.sum((ds @ (E / np.linalg.norm(E, axis=0))) ** 2) / np.sum(ds**2)


def of_lengths(ds, E):
    """share_that_passes: this is the share of the length"""
    Q, _ = np.linalg.qr(E)
    return np.linalg.norm(ds @ Q) / np.linalg.norm(ds)


def what_is_lost(ds, E):
    """share_that_passes: this is what is lost"""
    Q, _ = np.linalg.qr(E)
    return 1 - np.sum((ds @ Q) ** 2) / np.sum(ds**2)


def by_chance(ds, E):
    """share_that_passes: D/V is what chance gives"""
    return E.shape[1] / E.shape[0]
