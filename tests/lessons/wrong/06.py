"""Wrong answers to lesson 06. Docstring: the exercise, and what the message must say."""

import numpy as np

from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.softmax import softmax_loss_backward, softmax_loss_forward


def parts(E, W, U, x, y, z):
    e, looked = embedding_forward(x, E)
    h0, started = embedding_forward(z, E)
    h = np.tanh(e @ W.T + h0 @ U.T)
    _, scored = softmax_loss_forward(h, E, None, y)
    dh, dE_out, _ = softmax_loss_backward(1.0, scored)
    da = (1 - h * h) * dh
    de, dh0 = da @ W, da @ U
    return embedding_backward(de, looked), embedding_backward(dh0, started), dE_out, de, dh0


def one_partial(t, uses):
    """derivative_of_product: this is one partial derivative"""
    return t ** (uses - 1)


def the_product(t, uses):
    """derivative_of_product: this is the product itself"""
    return t**uses


def two_uses_always(t, uses):
    """derivative_of_product: used 1 times the derivative is not"""
    return 2 * t


def as_in_lesson_04(E, W, U, x, y, z):
    """three_uses: the third use is missing"""
    dE_in, _, dE_out, *_ = parts(E, W, U, x, y, z)
    return dE_in + dE_out


def no_lookup(E, W, U, x, y, z):
    """three_uses: the lookup of x is missing"""
    _, dE_start, dE_out, *_ = parts(E, W, U, x, y, z)
    return dE_start + dE_out


def no_scores(E, W, U, x, y, z):
    """three_uses: the scores are missing"""
    dE_in, dE_start, *_ = parts(E, W, U, x, y, z)
    return dE_in + dE_start


def mean_of_three(E, W, U, x, y, z):
    """three_uses: the mean of the three paths"""
    return sum(parts(E, W, U, x, y, z)[:3]) / 3


def start_into_x(E, W, U, x, y, z):
    """three_uses: went to the rows of x"""
    dE_in, _, dE_out, _, dh0 = parts(E, W, U, x, y, z)
    np.add.at(dE_out, x, dh0)
    return dE_in + dE_out


def changed_places(E, W, U, x, y, z):
    """three_uses: have changed places"""
    _, _, dE_out, de, dh0 = parts(E, W, U, x, y, z)
    np.add.at(dE_out, x, dh0)
    np.add.at(dE_out, z, de)
    return dE_out


def repeats_lost(E, W, U, x, y, z):
    """three_uses: repeated tokens lost: `dE[x] += de`"""
    _, _, dE_out, de, dh0 = parts(E, W, U, x, y, z)
    dE_out[x] += de
    dE_out[z] += dh0
    return dE_out


def repeats_lost_in_z(E, W, U, x, y, z):
    """three_uses: repeated tokens lost in z"""
    dE_in, _, dE_out, _, dh0 = parts(E, W, U, x, y, z)
    dE_out[z] += dh0
    return dE_in + dE_out
