"""Wrong answers to lesson 02. Docstring: the exercise, and what the message must say."""

import numpy as np


def plain_plus(de, x, V):
    """lookup_backward: repeated tokens lost: a word that occurs twice keeps only its last place"""
    dE = np.zeros((V, de.shape[-1]))
    dE[x] += de
    return dE


def assignment(de, x, V):
    """lookup_backward_loop: repeated tokens lost"""
    dE = np.zeros((V, de.shape[-1]))
    for b in range(len(x)):
        for t in range(x.shape[1]):
            dE[x[b, t]] = de[b, t]
    return dE


def first_place_only(de, x, V):
    """lookup_backward: keeps only its first place"""
    dE = np.zeros((V, de.shape[-1]))
    tokens, first = np.unique(x, return_index=True)
    dE[tokens] = de.reshape(-1, de.shape[-1])[first]
    return dE


def mean_of_places(de, x, V):
    """lookup_backward: the mean of its places"""
    dE = np.zeros((V, de.shape[-1]))
    np.add.at(dE, x, de)
    counts = np.bincount(x.ravel(), minlength=V)
    return dE / np.maximum(counts, 1)[:, np.newaxis]


def ids_from_one(de, x, V):
    """lookup_backward: one too low"""
    dE = np.zeros((V, de.shape[-1]))
    np.add.at(dE, (x + 1) % V, de)
    return dE


def first_sentence(de, x, V):
    """lookup_backward_loop: only the first sentence"""
    dE = np.zeros((V, de.shape[-1]))
    for t in range(x.shape[1]):
        dE[x[0, t]] += de[0, t]
    return dE


def only_the_rows_seen(de, x, V):
    """lookup_backward: it must return an array of shape (7, 4)"""
    return de.reshape(-1, de.shape[-1])


def minus(de, x, V):
    """lookup_backward: wrong sign"""
    dE = np.zeros((V, de.shape[-1]))
    np.add.at(dE, x, -de)
    return dE


def averaged_over_the_batch(de, x, V):
    """lookup_backward: every entry is 0.333333 times"""
    dE = np.zeros((V, de.shape[-1]))
    np.add.at(dE, x, de / x.size)
    return dE


def noise(de, x, V):
    """lookup_backward: entries are off"""
    dE = np.zeros((V, de.shape[-1]))
    np.add.at(dE, x, np.tanh(de))
    return dE


def rows_seen(x, V):
    """zero_rows: the tokens that do occur"""
    return sorted(set(x.ravel().tolist()))


def from_one(x, V):
    """zero_rows: that token was looked up"""
    return [i + 1 for i in range(V) if i not in x]


def no_last_row(x, V):
    """zero_rows: you leave out row"""
    return [i for i in range(V - 1) if i not in x]


def rounded_to_float32(de, x, V):
    """lookup_backward: right to six digits and then off: is there a float32 in it?"""
    dE = np.zeros((V, de.shape[-1]), np.float32)
    np.add.at(dE, x, de)
    return dE


def complex_numbers(de, x, V):
    """lookup_backward: it must return an array of shape (7, 4), and returns an array of dtype"""
    return np.zeros((V, de.shape[-1]), complex)


def a_mask(x, V):
    """zero_rows: it returns True or False for each row"""
    return ~np.isin(np.arange(V), x)


def below_zero(x, V):
    """zero_rows: and the rows go from 0 to 6"""
    return [i - V for i in range(V) if i not in x]


def without_end(x, V):
    """zero_rows: it must return a list of token ids"""
    return [float("inf")]


def one_below(x, E):
    """lookup: every place gets the row below"""
    return np.roll(E, -1, axis=0)[x]


def one_above(x, E):
    """lookup: every place gets the row above"""
    return E[x - 1]


def rows_of_first_sentence(x, E):
    """lookup: rows of the first one"""
    return E[np.broadcast_to(x[:1], x.shape)]


def backwards(x, E):
    """lookup: places stand in the wrong order"""
    return E[x[:, ::-1]] if x.shape[1] > 3 or len(x) > 1 else E[x]


def unit_rows(x, E):
    """lookup: scaled to length 1"""
    return (E / np.linalg.norm(E, axis=1, keepdims=True))[x]


def times_root(x, E):
    """lookup: scaled by √D"""
    return np.sqrt(E.shape[1]) * E[x]


def columns(x, E):
    """lookup: it must return an array of shape"""
    return E.T[:, x]


def ids(x, E):
    """lookup: it must return an array of shape"""
    return x


def flat(x, E):
    """lookup: it must return an array of shape"""
    return E[x.ravel()]


def all_rows(x, E):
    """lookup: it must return an array of shape"""
    return E
