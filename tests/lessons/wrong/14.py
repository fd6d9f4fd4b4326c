"""Wrong answers to lesson 14. Docstring: the exercise, and what the message must say."""

import numpy as np


def parts(do, h, P):
    return do @ P, np.einsum("btd,bth->dh", do, h), do.sum(axis=(0, 1))


def no_penalty(do, h, P, strength):
    """penalized_backward: dP: the penalty is missing"""
    return parts(do, h, P)


def half_left(do, h, P, strength):
    """penalized_backward: dP: the penalty's derivative has no ½ left"""
    dh, dP, dp = parts(do, h, P)
    return dh, dP + strength / 2 * P, dp


def twice(do, h, P, strength):
    """penalized_backward: the derivative of ½ P² is P"""
    dh, dP, dp = parts(do, h, P)
    return dh, dP + 2 * strength * P, dp


def the_penalty_itself(do, h, P, strength):
    """penalized_backward: in place of its derivative"""
    dh, dP, dp = parts(do, h, P)
    return dh, dP + strength / 2 * np.sum(P * P), dp


def norm_without_square(do, h, P, strength):
    """penalized_backward: this is the gradient of strength · ‖P‖"""
    dh, dP, dp = parts(do, h, P)
    return dh, dP + strength * P / np.linalg.norm(P), dp


def penalty_instead(do, h, P, strength):
    """penalized_backward: of the penalty alone"""
    dh, _, dp = parts(do, h, P)
    return dh, strength * P, dp


def p_swapped(do, h, P, strength):
    """penalized_backward: dP: it must return an array of shape (4, 5), and returns shape (5, 4)"""
    dh, dP, dp = parts(do, h, P)
    return dh, dP.T + strength * P.T, dp


def one_sentence(do, h, P, strength):
    """penalized_backward: dp: it must return an array of shape (4,)"""
    dh, dP, _ = parts(do, h, P)
    return dh, dP + strength * P, do.sum(axis=0)


def mean_over_places(do, h, P, strength):
    """penalized_backward: dP: the mean over the places"""
    dh, dP, dp = parts(do, h, P)
    return dh, dP / 6 + strength * P, dp / 6


def step(E, moving, measured, rate, max_norm):
    return E - rate * moving * min(1, max_norm / (np.linalg.norm(measured) + 1e-300))


def kept(dE, found):
    return np.where(found[:, None], 0, dE)


def norm_of_all(E, dE, found, rate, max_norm):
    """clipped_step: the norm counts the frozen rows too"""
    return step(E, kept(dE, found), dE, rate, max_norm)


def nothing_frozen(E, dE, found, rate, max_norm):
    """clipped_step: the found rows move"""
    return step(E, dE, dE, rate, max_norm)


def the_others_frozen(E, dE, found, rate, max_norm):
    """clipped_step: found and not found are swapped"""
    moving = kept(dE, ~found)
    return step(E, moving, moving, rate, max_norm)


def never_clipped(E, dE, found, rate, max_norm):
    """clipped_step: nothing is clipped"""
    return E - rate * kept(dE, found)


def always_that_long(E, dE, found, rate, max_norm):
    """clipped_step: clipping only shortens"""
    moving = kept(dE, found)
    return E - rate * moving * max_norm / np.linalg.norm(moving)


def row_by_row(E, dE, found, rate, max_norm):
    """clipped_step: each row is clipped by itself"""
    norms = np.linalg.norm(dE, axis=1, keepdims=True)
    return E - rate * kept(dE, found) * np.minimum(1, max_norm / norms)


def entry_by_entry(E, dE, found, rate, max_norm):
    """clipped_step: each entry is clipped by itself"""
    return E - rate * np.clip(kept(dE, found), -max_norm, max_norm)


def upward(E, dE, found, rate, max_norm):
    """clipped_step: mind the sign"""
    moving = kept(dE, found)
    return step(E, moving, moving, -rate, max_norm)


def frozen_to_zero(E, dE, found, rate, max_norm):
    """clipped_step: the found rows are set to zero"""
    moving = kept(dE, found)
    return np.where(found[:, None], 0, step(E, moving, moving, rate, max_norm))


def division_by_zero(E, dE, found, rate, max_norm):
    """clipped_step: NaN or infinity"""
    moving = kept(dE, found)
    return (
        E
        - rate * moving * np.minimum(1, max_norm / np.linalg.norm(moving))
        + 0 * (moving / np.linalg.norm(moving))
    )


def in_place(E, dE, found, rate, max_norm):
    """clipped_step: it changes its argument E in place"""
    moving = kept(dE, found)
    E -= rate * moving
    return E
