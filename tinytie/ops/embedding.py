"""Embedding lookup: e_t = Eᵀ x_t on paper, where x_t is one-hot; a row of E in code."""

from typing import NamedTuple

import numpy as np


class EmbeddingCache(NamedTuple):
    x: np.ndarray  # token ids, any shape
    vocab_size: int
    scale: float


def onehot(x, vocab_size):
    """Each id as a row with a single 1: (...) integers -> (..., V) floats."""
    return np.eye(vocab_size)[x]


def embedding_forward(x, E, scale=1.0):
    """e = scale · E[x], the same numbers as scale · onehot(x) @ E without the product.

    x (B, T) token ids, E (V, D); returns e (B, T, D).
    """
    e = E[x]  # a copy: indexing with an array never returns a view
    if scale != 1.0:
        e *= scale
    return e, EmbeddingCache(x, len(E), scale)


def embedding_backward(de, cache):
    """dE = scale · onehot(x)ᵀ @ de: row i of dE collects every place where token i was looked up.

    de (B, T, D); returns dE (V, D), zero in the rows of tokens that do not occur.
    """
    tokens, rows = embedding_backward_rows(de, cache)
    dE = np.zeros((cache.vocab_size, de.shape[-1]), de.dtype)
    dE[tokens] = rows  # the tokens are distinct, so nothing is overwritten
    return dE


def embedding_backward_rows(de, cache):
    """The rows of dE that are not zero: (distinct token ids, their rows (n, D)).

    Places of the same token are brought together by sorting, then each group is summed.
    `dE[x] += de` would keep only the last of a token's places.
    """
    order = np.argsort(cache.x, axis=None, kind="stable")
    tokens, starts = np.unique(cache.x.ravel()[order], return_index=True)
    places = de.reshape(len(order), -1)[order]
    return tokens, cache.scale * np.add.reduceat(places, starts, axis=0)
