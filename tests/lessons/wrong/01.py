"""Wrong answers to lesson 01. Docstring: the exercise, and what the message must say."""

import numpy as np


def ids_from_one(x, V):
    """onehot: the ids count from 0"""
    return np.eye(V)[x - 1]


def flat(x, V):
    """onehot: shape (2, 3, 7)"""
    return np.eye(V)[x.ravel()]


def transposed(x, V):
    """onehot: shape (5, 7), and returns shape (7, 5) (transposed?)"""
    return np.eye(V)[x].T


def one_row(x, V):
    """onehot: ones, and must hold one"""
    row = np.zeros(V)
    row[x] = 1
    return np.broadcast_to(row, (*x.shape, V))


def one_dimension_only(x, V):
    """onehot: ambiguous. Use a.any() or a.all(); it was given x (2, 3)"""
    return np.array([[1 if i == j else 0 for j in range(V)] for i in x])


def no_rows(x, V):
    """onehot: holds 0 ones"""
    return np.zeros((*x.shape, V))


def the_ids_themselves(x, V):
    """onehot: holds other numbers"""
    return np.eye(V)[x] * x[..., np.newaxis]


def same_count(V, D, tied):
    """embedding_parameters: the same count"""
    return V * D


def swapped(V, D, tied):
    """embedding_parameters: swapped"""
    return 2 * V * D if tied else V * D


def half_a_matrix(V, D, tied):
    """embedding_parameters: a whole V × D one"""
    return V * D / 2 if tied else V * D


def rows_plus_columns(V, D, tied):
    """embedding_parameters: V times D numbers, not V plus D"""
    return (1 if tied else 2) * (V + D)


def always_half(V, D, other):
    """share_saved: the rest is not halved"""
    return 0.5


def of_the_tied(V, D, other):
    """share_saved: divides by the tied model's size"""
    return V * D / (V * D + other)


def both_matrices(V, D, other):
    """share_saved: the share of both matrices"""
    return 2 * V * D / (2 * V * D + other)


def what_is_left(V, D, other):
    """share_saved: the share that is left"""
    return (V * D + other) / (2 * V * D + other)


def percent(V, D, other):
    """share_saved: in percent"""
    return 100 * V * D / (2 * V * D + other)


def unrelated(V, D, other):
    """share_saved: does not leave"""
    return 0.1


def as_wide_as_the_batch(x, V):
    """onehot: as wide as this batch needs"""
    return np.eye(x.max() + 1)[x]
