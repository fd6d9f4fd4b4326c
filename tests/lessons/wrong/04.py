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
    """tied_backward: this is the gradient of their sum"""
    dE_in, dE_out, *_ = parts(E, W, x, y)
    return x.size * (dE_in + dE_out)


def w_not_transposed(E, W, x, y):
    """tied_backward: W is transposed on the way back"""
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


def by_hand(E, W, x, y, slope=None, back=None, places=None, meets=None):
    """Both paths, with one thing replaced."""
    e = E[x].reshape(-1, E.shape[1])
    a = e @ W.T
    h = np.tanh(a)
    ds = np.exp(h @ E.T)
    ds /= ds.sum(axis=1, keepdims=True)
    ds[np.arange(len(ds)), y.ravel()] -= 1
    ds /= len(ds)
    da = (1 - h * h if slope is None else slope(a, h)) * (ds @ E)
    dE = ds.T @ (h if meets is None else e)
    np.add.at(dE, (x if places is None else places).ravel(), da @ (W if back is None else back))
    return dE


def first_sentence_only(E, W, x, y):
    """tied_backward: only the first sentence of the batch is there"""
    return by_hand(E, W, x[:1], y[:1])


def first_sentence_of_all(E, W, x, y):
    """tied_backward: divided by all places"""
    return by_hand(E, W, x[:1], y[:1]) / len(x)


def mean_over_steps_only(E, W, x, y):
    """tied_backward: this divides by the steps alone"""
    return len(x) * by_hand(E, W, x, y)


def mean_over_sentences_only(E, W, x, y):
    """tied_backward: this divides by the sentences alone"""
    return x.shape[1] * by_hand(E, W, x, y)


def w_transposed_back(E, W, x, y):
    """tied_backward: W is transposed on the way back"""
    return by_hand(E, W, x, y, back=W.T)


def slope_at_a(E, W, x, y):
    """tied_backward: the slope of tanh is taken at a"""
    return by_hand(E, W, x, y, slope=lambda a, h: 1 - a * a)


def slope_without_square(E, W, x, y):
    """tied_backward: the square is missing"""
    return by_hand(E, W, x, y, slope=lambda a, h: 1 - h)


def meets_the_rows(E, W, x, y):
    """tied_backward: dE_out is dsᵀ h"""
    return by_hand(E, W, x, y, meets="e")


def collected_at_targets(E, W, x, y):
    """tied_backward: collected at the targets y"""
    return by_hand(E, W, x, y, places=y)


def right_but_negative(E, W, x, y):
    """tied_backward: every entry has the wrong sign"""
    return -by_hand(E, W, x, y)
