"""Wrong answers to lesson 10. Docstring: the exercise, and what the message must say."""

import numpy as np


def count(V, D, matrices):
    return matrices * V * D + 2 * D * D + D + V


def half_the_width(V, D):
    """equal_budget: makes only the embeddings equal"""
    return D // 2


def the_same_width(V, D):
    """equal_budget: has V · D parameters more"""
    return D


def never_above(V, D):
    """equal_budget: the nearest may be above it"""
    return max((w for w in range(1, D + 1) if count(V, w, 2) <= count(V, D, 1)), default=1)


def one_wider(V, D):
    """equal_budget: another width comes nearer"""
    return 1 + min(range(1, D + 1), key=lambda w: abs(count(V, w, 2) - count(V, D, 1)))


def more_parameters_win():
    """true_at_half: claim 2: the runs say no: the larger model can learn even more"""
    return {1, 2, 4}


def tying_matters_less():
    """true_at_half: claim 3: the runs say no"""
    return {1, 3, 4}


def harder_to_fit():
    """true_at_half: claim 4: the runs say yes"""
    return {1}


def more_uncertain():
    """true_at_half: claim 5: the runs say no: entropy is a number of the language"""
    return {1, 4, 5}


def a_list():
    """true_at_half: it must return a set"""
    return [1, 4]


def moved(w, dw, m, v, t, rate, top=None, below=None, eps=1e-8):
    m, v = 0.9 * m + 0.1 * dw, 0.999 * v + 0.001 * dw**2
    top = m / (1 - 0.9**t) if top is None else top(m, t)
    below = np.sqrt(v / (1 - 0.999**t)) + eps if below is None else below(v, t)
    return w - rate * top / below, m, v


def m_uncorrected(w, dw, m, v, t, rate):
    """adam: m̂ = m / (1 − 0.9ᵗ) is missing"""
    return moved(w, dw, m, v, t, rate, top=lambda m, t: m)


def v_uncorrected(w, dw, m, v, t, rate):
    """adam: v̂ = v / (1 − 0.999ᵗ) is missing"""
    return moved(w, dw, m, v, t, rate, below=lambda v, t: np.sqrt(v) + 1e-8)


def neither_corrected(w, dw, m, v, t, rate):
    """adam: m and v start at 0"""
    return moved(w, dw, m, v, t, rate, lambda m, t: m, lambda v, t: np.sqrt(v) + 1e-8)


def no_root(w, dw, m, v, t, rate):
    """adam: the root is missing"""
    return moved(w, dw, m, v, t, rate, below=lambda v, t: v / (1 - 0.999**t) + 1e-8)


def uphill(w, dw, m, v, t, rate):
    """adam: w, at t = 7: the sign is wrong"""
    new, m, v = moved(w, dw, m, v, t, rate)
    return 2 * w - new, m, v


def no_rate(w, dw, m, v, t, rate):
    """adam: the rate is missing"""
    return moved(w, dw, m, v, t, 1.0)


def stands_still(w, dw, m, v, t, rate):
    """adam: w did not move"""
    return w, *moved(w, dw, m, v, t, rate)[1:]


def m_the_other_way(w, dw, m, v, t, rate):
    """adam: m: 0.9 and 0.1 have changed places"""
    new, _, v = moved(w, dw, m, v, t, rate)
    return new, 0.1 * m + 0.9 * dw, v


def no_memory(w, dw, m, v, t, rate):
    """adam: m: it has no memory"""
    new, _, v = moved(w, dw, m, v, t, rate)
    return new, dw, v


def whole_gradient(w, dw, m, v, t, rate):
    """adam: m: the new gradient counts whole"""
    new, _, v = moved(w, dw, m, v, t, rate)
    return new, 0.9 * m + dw, v


def v_not_squared(w, dw, m, v, t, rate):
    """adam: v: the gradient is not squared"""
    new, m, _ = moved(w, dw, m, v, t, rate)
    return new, m, 0.999 * v + 0.001 * dw


def v_like_m(w, dw, m, v, t, rate):
    """adam: v: 0.9 and 0.1 are those of m"""
    new, m, _ = moved(w, dw, m, v, t, rate)
    return new, m, 0.9 * v + 0.1 * dw**2


def t_from_zero(w, dw, m, v, t, rate):
    """adam: it is one behind"""
    return moved(w, dw, m, v, t + 1, rate)


def in_place(w, dw, m, v, t, rate):
    """adam: it changes its argument w in place"""
    w -= rate * dw
    return w, m, v
