"""Wrong answers to lesson 13. Docstring: the exercise, and what the message must say."""

import numpy as np


def as_in_the_lesson(P):
    """entropy_rate: every row weighs the same here"""
    return -np.mean(np.sum(P * np.log(P), axis=1))


def often(P):
    return np.linalg.matrix_power(P, 10_000)[0]


def in_bits(P):
    """entropy_rate: this is in bits"""
    return -np.sum(often(P) @ (P * np.log2(P)))


def of_single_words(P):
    """entropy_rate: this is the entropy of single words"""
    return -np.sum(often(P) * np.log(often(P)))


def a_perplexity(P):
    """entropy_rate: this is the perplexity"""
    return np.exp(-np.sum(often(P) @ (P * np.log(P))))


def reads_both(E_in, E_out, W):
    """tied_twin: a differs: W_wide must read E_in's part"""
    D, H = E_in.shape[1], E_out.shape[1]
    P = np.vstack([np.zeros((D, H)), np.eye(H)])
    return np.hstack([E_in, E_out]), np.hstack([W, np.ones((H, H))]), P


def writes_both(E_in, E_out, W):
    """tied_twin: s differs: P writes into E_in's part too"""
    D, H = E_in.shape[1], E_out.shape[1]
    P = np.vstack([np.ones((D, H)), np.eye(H)])
    return np.hstack([E_in, E_out]), np.hstack([W, np.zeros((H, H))]), P


def projection_transposed(E_in, E_out, W):
    """tied_twin: P: it must return an array of shape (7, 4), and returns shape (4, 7)"""
    D, H = E_in.shape[1], E_out.shape[1]
    P = np.hstack([np.zeros((H, D)), np.eye(H)])
    return np.hstack([E_in, E_out]), np.hstack([W, np.zeros((H, H))]), P


def another_order(E_in, E_out, W):
    """tied_twin: a differs"""
    D, H = E_in.shape[1], E_out.shape[1]
    P = np.vstack([np.zeros((D, H)), np.eye(H)])
    return np.hstack([E_in, E_out]), np.hstack([np.zeros((H, H)), W]), P
