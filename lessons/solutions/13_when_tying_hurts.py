"""Lesson 13: reference answers."""

import numpy as np


def entropy_rate(P):
    frequency = np.full(len(P), 1 / len(P))
    for _ in range(10_000):
        frequency = frequency @ P
    return -np.sum(frequency @ (P * np.log(P)))


def tied_twin(E_in, E_out, W):
    D, H = E_in.shape[1], E_out.shape[1]
    E = np.hstack([E_in, E_out])
    W_wide = np.hstack([W, np.zeros((H, H))])  # reads the left part of a row
    P = np.vstack([np.zeros((D, H)), np.eye(H)])  # writes into the right part
    return E, W_wide, P
