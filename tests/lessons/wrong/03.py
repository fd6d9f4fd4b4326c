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


def only_exp(s):
    """softmax: divide each row by its sum"""
    return np.exp(s)


def whole_sum(s):
    """softmax: over each row alone"""
    return np.exp(s) / np.exp(s).sum()


def down_the_columns(s):
    """softmax: over the words of each place"""
    return np.exp(s) / np.exp(s).sum(axis=0)


def logarithms(s):
    """softmax: logarithms of probabilities"""
    return s - np.log(np.exp(s).sum(axis=1, keepdims=True))


def no_exp(s):
    """softmax: exp is missing"""
    return s / s.sum(axis=1, keepdims=True)


def minus(s):
    """softmax: the sign is wrong"""
    return np.exp(-s) / np.exp(-s).sum(axis=1, keepdims=True)


def softmax_no_shift(s):
    """softmax: take the largest score of each row away"""
    return np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)


def softmax_one_shift(s):
    """softmax: from each row, not from the whole array"""
    exps = np.exp(s - s.max())
    return exps / exps.sum(axis=1, keepdims=True)


def wrong_shift(s):
    """softmax: take the largest score of each row away"""
    exps = np.exp(s + s.max())
    return exps / exps.sum(axis=1, keepdims=True)


def twice_soft(s):
    """softmax: softmax twice"""
    exps = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return np.exp(exps) / np.exp(exps).sum(axis=1, keepdims=True)


def two_powers(s):
    """softmax: should be"""
    return 2.0**s / (2.0**s).sum(axis=1, keepdims=True)


def no_bias(h, E, c):
    """scores: the bias c is missing"""
    return h @ E.T


def minus_bias(h, E, c):
    """scores: the bias is subtracted"""
    return h @ E.T - c


def bias_twice(h, E, c):
    """scores: the bias is added twice"""
    return h @ E.T + 2 * c


def transposed(h, E, c):
    """scores: must return an array of shape"""
    return E @ h.T


def soft(h, E, c):
    """scores: the softmax comes later"""
    s = np.exp(h @ E.T + c)
    return s / s.sum(axis=1, keepdims=True)


def cosine(h, E, c):
    """scores: not a cosine"""
    return h @ (E / np.linalg.norm(E, axis=1, keepdims=True)).T + c


def over_root(h, E, c):
    """scores: that belongs to attention"""
    return h @ E.T / np.sqrt(E.shape[1]) + c


def no_transpose(h, E, c):
    """scores: it stops with ValueError"""
    return h @ E + c


def forgets_to_return(h, E, c):
    """scores: is a return missing"""
    h @ E.T + c


def bias_inside(h, E, c):
    """scores: it stops with ValueError"""
    return (h + c) @ E.T


def mean_bias(ds, h, E):
    """scores_backward: the mean over the places"""
    return ds @ E, ds.T @ h, ds.mean(axis=0)


def first_bias(ds, h, E):
    """scores_backward: dc: only the first place"""
    return ds @ E, ds.T @ h, ds[0]


def db_without_the_sum(ds, h, E):
    """scores_backward: dc: it must return an array of shape"""
    return ds @ E, ds.T @ h, ds


def mean_matrix(ds, h, E):
    """scores_backward: dE: the mean over the places"""
    return ds @ E, ds.T @ h / len(h), ds.sum(axis=0)


def first_matrix(ds, h, E):
    """scores_backward: dE: only the first place"""
    return ds @ E, np.outer(ds[0], h[0]), ds.sum(axis=0)


def matrix_transposed(ds, h, E):
    """scores_backward: (transposed?)"""
    return ds @ E, h.T @ ds, ds.sum(axis=0)


def rows_of_ones(ds, h, E):
    """scores_backward: dh: each row of E"""
    return np.tile(E.sum(axis=0), (len(h), 1)), ds.T @ h, ds.sum(axis=0)


def minus_h(ds, h, E):
    """scores_backward: dh: every entry has the wrong sign"""
    return -ds @ E, ds.T @ h, ds.sum(axis=0)


def swapped(ds, h, E):
    """scores_backward: dh: it must return an array of shape"""
    return ds.T @ h, ds @ E, ds.sum(axis=0)


def two_only(ds, h, E):
    """scores_backward: it must return 3 arrays"""
    return ds @ E, ds.T @ h


def double(ds, h, E):
    """scores_backward: dE: every entry is 2 times"""
    return ds @ E, 2 * ds.T @ h, ds.sum(axis=0)


def the_sum(s, y):
    """cross_entropy: this is the sum over the"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y]).sum()


def in_bits(s, y):
    """cross_entropy: this is in bits"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return -np.log2(p[np.arange(len(y)), y]).mean()


def positive_log(s, y):
    """cross_entropy: the sign is wrong"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return np.log(p[np.arange(len(y)), y]).mean()


def eight_zeros(s, y):
    """cross_entropy: 1e-8 is added inside"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y] + 1e-8).mean()


def out_of_range(s, y):
    """cross_entropy: exp or log is out of range"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y]).mean()


def columns_of_y(s, y):
    """cross_entropy: where all scores are equal"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return -np.log(p[:, y]).sum()


def probability(s, y):
    """cross_entropy: where all scores are equal"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return 1 - p[np.arange(len(y)), y].mean()


def perplexity(s, y):
    """cross_entropy: where all scores are equal"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return np.exp(-np.log(p[np.arange(len(y)), y]).mean())


def one_a_place(s, y):
    """cross_entropy: it must return one number"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y])


def all_words(s, y):
    """cross_entropy: where all scores are equal"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return -np.log(p).sum(axis=1).mean()


def p_at_all_targets(s, y):
    """cross_entropy_backward: entries are off"""
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    p[:, y] -= 1
    return p / len(y)
