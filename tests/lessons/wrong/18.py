"""Wrong answers to lesson 18. Docstring: the exercise, and what the message must say."""

import numpy as np

KEPT = {}


def gradients(dy, x, W):
    return dy @ W, np.einsum("bth,btd->hd", dy, x), dy.sum(axis=(0, 1))


def kept_outside(x, W, b):
    """linear: dx: after another call of linear, this pullback answers for that call"""
    KEPT["x"], KEPT["W"] = x, W
    return x @ W.T + b, lambda dy: gradients(dy, KEPT["x"], KEPT["W"])


def accumulating(x, W, b):
    """linear: dW: asked twice, the pullback answers with the double"""
    dW, db = np.zeros_like(W), np.zeros_like(b)

    def pullback(dy):
        dx, more_W, more_b = gradients(dy, x, W)
        dW[...] += more_W
        db[...] += more_b
        return dx, dW, db

    return x @ W.T + b, pullback


def gradients_at_once(x, W, b):
    """linear: the second result must be a function"""
    y = x @ W.T + b
    return y, gradients(np.ones_like(y), x, W)


def pullback_first(x, W, b):
    """linear: y comes first"""
    return lambda dy: gradients(dy, x, W), x @ W.T + b


def value_alone(x, W, b):
    """linear: it must return two things"""
    return x @ W.T + b


def without_bias(x, W, b):
    """linear: y is not x Wᵀ + b"""
    return x @ W.T, lambda dy: gradients(dy, x, W)


def mean_over_places(x, W, b):
    """linear: dW: the mean over the places"""

    def pullback(dy):
        dx, dW, db = gradients(dy, x, W)
        return dx, dW / 6, db / 6

    return x @ W.T + b, pullback


def first_sentence(x, W, b):
    """linear: dW: only the first sentence"""
    return x @ W.T + b, lambda dy: (dy @ W, dy[0].T @ x[0], dy[0].sum(axis=0))


def transposed(x, W, b):
    """linear: dW: it must return an array of shape (5, 4), and returns shape (4, 5)"""

    def pullback(dy):
        dx, dW, db = gradients(dy, x, W)
        return dx, dW.T, db

    return x @ W.T + b, pullback


def in_another_order(x, W, b):
    """linear: dx: it must return an array of shape (2, 3, 4)"""

    def pullback(dy):
        dx, dW, db = gradients(dy, x, W)
        return dW, db, dx

    return x @ W.T + b, pullback


def scales_dy(x, W, b):
    """linear: the pullback: it changes its argument dy in place"""

    def pullback(dy):
        found = gradients(dy, x, W)
        dy *= 2
        return found

    return x @ W.T + b, pullback


def columns_compared(V, D, H, T):
    """five_numbers: number 1: that is EᵀE"""
    return D * D, D, V * D, D, T - 1


def p_the_other_way(V, D, H, T):
    """five_numbers: number 2: o = P h must be as wide as a row of E"""
    return V * V, H, V * D, D, T - 1


def half_the_model(V, D, H, T):
    """five_numbers: number 3: half of the model"""
    return V * V, D, (V * D + D * H + D + V) // 2, D, T - 1


def half_of_E(V, D, H, T):
    """five_numbers: number 3: E is not halved"""
    return V * V, D, V * D / 2, D, T - 1


def a_column_for_the_bias(V, D, H, T):
    """five_numbers: number 4: the bias is added to the scores"""
    return V * V, D, V * D, D + 1, T - 1


def one_question_too_many(V, D, H, T):
    """five_numbers: number 5: after the last word there is no answer"""
    return V * V, D, V * D, D, T


def four_numbers(V, D, H, T):
    """five_numbers: it must return 5 arrays"""
    return V * V, D, V * D, D
