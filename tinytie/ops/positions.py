"""Positions: a vector for each place, added to the vector of the word that stands there."""

from typing import NamedTuple

import numpy as np


class PositionsCache(NamedTuple):
    shape: tuple  # of pos
    places: slice  # which of its rows were used


def positions_forward(e, pos, start=0):
    """h_t = e_t + pos_t, the same in every row of the batch.

    e (B, T, d), pos (max_len, d) with max_len >= start + T, start the place of the first word;
    returns h (B, T, d).
    """
    places = slice(start, start + e.shape[1])
    return e + pos[places], PositionsCache(pos.shape, places)


def positions_backward(dh, cache):
    """de = dh,  dpos_t = Σ dh_t over the batch: all B rows use pos_t. Unused places get zero.

    dh (B, T, d); returns de (B, T, d), dpos (max_len, d).
    """
    dpos = np.zeros(cache.shape, dh.dtype)
    dpos[cache.places] = dh.sum(axis=0)
    return dh, dpos


def sinusoids(n, d, dtype=np.float64):
    """Fixed positions: column 2i is sin(t / 10000^(2i/d)), column 2i + 1 its cosine. (n, d)

    Source: Vaswani et al. 2017, section 3.5.
    """
    i = np.arange(d)
    angle = np.arange(n)[:, None] / 10000 ** ((i - i % 2) / d)
    return np.where(i % 2 == 0, np.sin(angle), np.cos(angle)).astype(dtype)
