"""Wrong answers to lesson 04. Docstring: the exercise, and what the message must say."""

import numpy as np

from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import softmax_loss_backward, softmax_loss_forward


def parts(E, W, x, y, slope=True):
    e, looked = embedding_forward(x, E)
    a, multiplied = linear_forward(e, W)
    h = np.tanh(a)
    _, scored = softmax_loss_forward(h, E, None, y)
    dh, dE_out, _ = softmax_loss_backward(1.0, scored)
    da = (1 - h * h) * dh if slope else dh
    de, _, _ = linear_backward(da, multiplied)
    return embedding_backward(de, looked), dE_out, de, da


def output_path_only(E, W, x, y):
    """tied_backward: the input path is missing"""
    return parts(E, W, x, y)[1]


def input_path_only(E, W, x, y):
    """tied_backward: the output path is missing"""
    return parts(E, W, x, y)[0]


def mean_of_paths(E, W, x, y):
    """tied_backward: the mean of the two paths"""
    dE_in, dE_out, *_ = parts(E, W, x, y)
    return (dE_in + dE_out) / 2


def difference_of_paths(E, W, x, y):
    """tied_backward: subtracted"""
    dE_in, dE_out, *_ = parts(E, W, x, y)
    return dE_out - dE_in


def repeats_lost(E, W, x, y):
    """tied_backward: repeated tokens lost"""
    _, dE_out, de, _ = parts(E, W, x, y)
    dE_out[x] += de
    return dE_out


def overwritten(E, W, x, y):
    """tied_backward: overwrites"""
    _, dE_out, de, _ = parts(E, W, x, y)
    dE_out[x] = de
    return dE_out


def counted_twice(E, W, x, y):
    """tied_backward: the output path is counted twice"""
    dE_in, dE_out, *_ = parts(E, W, x, y)
    return dE_in + 2 * dE_out


def slope_forgotten(E, W, x, y):
    """tied_backward: the slope of tanh"""
    dE_in, dE_out, *_ = parts(E, W, x, y, slope=False)
    return dE_in + dE_out


def stops_at_h(E, W, x, y):
    """tied_backward: it must go on through W"""
    _, dE_out, _, da = parts(E, W, x, y)
    np.add.at(dE_out, x, da)
    return dE_out


def sum_not_mean(E, W, x, y):
    """tied_backward: every entry is 4 times"""
    dE_in, dE_out, *_ = parts(E, W, x, y)
    return x.size * (dE_in + dE_out)


def w_not_transposed(E, W, x, y):
    """tied_backward: in the rows 0 (looked up), 1 (looked up), 2 (looked up), 4 (looked up);"""
    _, dE_out, _, da = parts(E, W, x, y)
    np.add.at(dE_out, x, da @ W.T)
    return dE_out


def all_five_always(repeats):
    """rejected: rule 5: where no word is looked up twice, the check lets it pass"""
    return {1, 2, 3, 4, 5}


def never_five(repeats):
    """rejected: rule 5: where a word is looked up twice, the check rejects it"""
    return {1, 2, 3, 4}


def output_alone_is_enough(repeats):
    """rejected: rule 1"""
    return {2, 3, 4, 5} if repeats else {2, 3, 4}


def rules_from_zero(repeats):
    """rejected: the rules are numbered 1 to 5, and you name 0"""
    return {0, 1, 2}
