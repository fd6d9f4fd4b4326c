"""Wrong answers to lesson 03. Docstring: the exercise, and what the message must say."""

import numpy as np

from tinytie.ops.softmax import cross_entropy_forward, softmax


def copies(words):
    """inputs_and_targets: y equals x"""
    return words[:-1], words[:-1]


def backwards(words):
    """inputs_and_targets: swapped"""
    return words[1:], words[:-1]


def around_the_corner(words):
    """inputs_and_targets: after the last word there is no answer"""
    return words, words[1:] + words[:1]


def uneven(words):
    """inputs_and_targets: every question needs one answer"""
    return words, words[1:]


def two_ahead(words):
    """inputs_and_targets: is y too far on"""
    return words[:-2], words[2:]


def minus_one_forgotten(s, y):
    """cross_entropy_backward: the −1 is missing"""
    return softmax(s) / len(y)


def mean_forgotten(s, y):
    """cross_entropy_backward: a factor of N"""
    ds = softmax(s)
    ds[np.arange(len(y)), y] -= 1
    return ds


def minus_one_not_divided(s, y):
    """cross_entropy_backward: divide both"""
    ds = softmax(s) / len(y)
    ds[np.arange(len(y)), y] -= 1
    return ds


def divided_by_words(s, y):
    """cross_entropy_backward: divided by V"""
    ds = softmax(s)
    ds[np.arange(len(y)), y] -= 1
    return ds / s.shape[1]


def target_off_by_one(s, y):
    """cross_entropy_backward: the target is off by one"""
    ds = softmax(s)
    ds[np.arange(len(y)), y - 1] -= 1
    return ds / len(y)


def next_place(s, y):
    """cross_entropy_backward: the targets belong to the next place"""
    ds = softmax(s)
    ds[np.arange(len(y)), np.roll(y, -1)] -= 1
    return ds / len(y)


def softmax_twice(s, y):
    """cross_entropy_backward: softmax twice"""
    ds = softmax(softmax(s))
    ds[np.arange(len(y)), y] -= 1
    return ds / len(y)


def wrong_sign(s, y):
    """cross_entropy_backward: the sign is wrong"""
    ds = -softmax(s)
    ds[np.arange(len(y)), y] += 1
    return ds / len(y)


def over_places(s, y):
    """cross_entropy_backward: the softmax runs over the places"""
    ds = softmax(s.T).T
    ds[np.arange(len(y)), y] -= 1
    return ds / len(y)


def columns_for_all_rows(s, y):
    """cross_entropy_backward: entries are off"""
    ds = softmax(s)
    ds[:, y] -= 1
    return ds / len(y)


def changes_its_argument(s, y):
    """cross_entropy_backward: it changes its argument s"""
    s -= s.max(axis=1, keepdims=True)
    return s


def as_it_stood(s, y):
    """mean_loss: softmax twice"""
    return cross_entropy_forward(softmax(s), y)[0]


def a_sum(s, y):
    """mean_loss: this is the sum"""
    return -np.log(softmax(s)[np.arange(len(y)), y]).sum()


def bits(s, y):
    """mean_loss: in bits"""
    return -np.log2(softmax(s)[np.arange(len(y)), y]).mean()


def gain(s, y):
    """mean_loss: the sign is wrong"""
    return np.log(softmax(s)[np.arange(len(y)), y]).mean()


def no_shift(s, y):
    """mean_loss: exp or log is out of range"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y]).mean()


def one_shift_for_all(s, y):
    """mean_loss: exp or log is out of range"""
    p = np.exp(s - s.max()) / np.exp(s - s.max()).sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y]).mean()


def first_place_only(s, y):
    """mean_loss: for random scores"""
    return cross_entropy_forward(s[:1], y[:1])[0]


def nothing_asked(words):
    """inputs_and_targets: 5 words give 4 questions, and these are 0"""
    return [], []


def loss_and_cache(s, y):
    """mean_loss: it must return one number, and returns a tuple of 2 things"""
    return cross_entropy_forward(s, y)
