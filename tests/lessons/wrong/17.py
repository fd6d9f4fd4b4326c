"""Wrong answers to lesson 17. Docstring: the exercise, and what the message must say."""

import numpy as np

from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import softmax, softmax_loss_backward, softmax_loss_forward


def scores(q, k):
    return q @ k.T / np.sqrt(q.shape[1])


def masked(s):
    return np.where(np.tri(len(s), dtype=bool), s, -np.inf)


def mask_after_softmax(q, k):
    """causal_weights: the mask comes after the softmax"""
    return np.tril(softmax(scores(q, k)))


def no_mask(q, k):
    """causal_weights: nothing is masked"""
    return softmax(scores(q, k))


def upper_triangle(q, k):
    """causal_weights: the triangle is the wrong one"""
    s = scores(q, k)
    return softmax(np.where(np.tri(len(s), dtype=bool).T, s, -np.inf))


def not_scaled(q, k):
    """causal_weights: not divided by √d_k"""
    return softmax(masked(q @ k.T))


def scaled_without_root(q, k):
    """causal_weights: divided by d_k, and must be by its root"""
    return softmax(masked(q @ k.T / q.shape[1]))


def root_of_the_places(q, k):
    """causal_weights: divided by √T"""
    return softmax(masked(q @ k.T / np.sqrt(len(q))))


def keys_ask(q, k):
    """causal_weights: swapped"""
    return softmax(masked(scores(k, q)))


def zero_for_the_future(q, k):
    """causal_weights: it must get −∞"""
    return softmax(np.tril(scores(q, k)))


def down_the_columns(q, k):
    """causal_weights: each column sums to one"""
    return softmax(masked(scores(q, k)).T).T


def not_even_itself(q, k):
    """causal_weights: NaN or infinity"""
    s = scores(q, k)
    return softmax(np.where(np.tri(len(s), k=-1, dtype=bool), s, -np.inf))


def no_shift(q, k):
    """causal_weights: its result holds NaN"""
    powers = np.tril(np.exp(scores(q, k)))
    return powers / powers.sum(axis=1, keepdims=True)


def one_too_far(q, k):
    """causal_weights: place 1 looks at place 2, which comes later"""
    s = scores(q, k)
    return softmax(np.where(np.tri(len(s), k=1, dtype=bool), s, -np.inf))


def paths(E, W, x, y, before=None):
    """(places of de collected, dE_out), with √D or another factor in the forward."""
    e, _ = embedding_forward(x, E, np.sqrt(E.shape[1]) if before is None else before)
    a, multiplied = linear_forward(e, W)
    h = np.tanh(a)
    _, scored = softmax_loss_forward(h, E, None, y)
    dh, dE_out, _ = softmax_loss_backward(1.0, scored)
    de, _, _ = linear_backward((1 - h * h) * dh, multiplied)
    _, plain = embedding_forward(x, E)
    return embedding_backward(de, plain), dE_out


def factor_forgotten(E, W, x, y):
    """scaled_backward: the factor is missing from the lookup's path"""
    dE_in, dE_out = paths(E, W, x, y)
    return dE_in + dE_out


def factor_on_both(E, W, x, y):
    """scaled_backward: the factor stands on the output path too"""
    dE_in, dE_out = paths(E, W, x, y)
    return np.sqrt(E.shape[1]) * (dE_in + dE_out)


def factor_on_the_scores(E, W, x, y):
    """scaled_backward: the factor is on the wrong path"""
    dE_in, dE_out = paths(E, W, x, y)
    return dE_in + np.sqrt(E.shape[1]) * dE_out


def divided(E, W, x, y):
    """scaled_backward: the backward divides by the factor"""
    dE_in, dE_out = paths(E, W, x, y)
    return dE_in / np.sqrt(E.shape[1]) + dE_out


def squared(E, W, x, y):
    """scaled_backward: D instead of √D"""
    dE_in, dE_out = paths(E, W, x, y)
    return E.shape[1] * dE_in + dE_out


def lesson_04_again(E, W, x, y):
    """scaled_backward: this is the gradient of lesson 04"""
    dE_in, dE_out = paths(E, W, x, y, before=1.0)
    return dE_in + dE_out


def only_backward(E, W, x, y):
    """scaled_backward: the factor is in the backward, and not in the forward"""
    dE_in, dE_out = paths(E, W, x, y, before=1.0)
    return np.sqrt(E.shape[1]) * dE_in + dE_out


def scores_alone(E, W, x, y):
    """scaled_backward: the input path is missing"""
    return paths(E, W, x, y)[1]


def root_in_the_scores(E, W, x, y):
    """scaled_backward: √D stands on the scores too, in the forward"""
    root = np.sqrt(E.shape[1])
    e = root * E[x].reshape(-1, E.shape[1])
    h = np.tanh(e @ W.T)
    ds = np.exp(root * h @ E.T)
    ds /= ds.sum(axis=1, keepdims=True)
    ds[np.arange(len(ds)), y.ravel()] -= 1
    ds /= len(ds)
    dE = root * ds.T @ h
    np.add.at(dE, x.ravel(), root * ((1 - h * h) * (root * ds @ E)) @ W)
    return dE
