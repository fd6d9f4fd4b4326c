"""Wrong answers to lesson 08. Docstring: the exercise, and what the message must say."""

import numpy as np


def loop(
    dh,
    e,
    h0,
    h,
    W,
    U,
    every=99,
    slope=True,
    carry=True,
    start=0,
    cut_before=False,
    shift=0,
):
    """A right loop, with switches for what goes wrong."""
    de, dW, dU, db = np.zeros_like(e), np.zeros_like(W), np.zeros_like(U), np.zeros(len(W))
    dh_next = np.zeros_like(h0)
    for t in reversed(range(start, h.shape[1])):
        h_prev = h[:, t - 1] if t else h0
        if cut_before and t % every == 0:
            dh_next = np.zeros_like(h0)
        da = dh[:, t] + dh_next
        if slope:
            da = (1 - h[:, t] ** 2) * da
        de[:, t] = da @ W
        dW += da.T @ e[:, t]
        dU += da.T @ h_prev
        db += da.sum(axis=0)
        dh_next = da @ U if carry else np.zeros_like(h0)
        if not cut_before and t and (t - shift) % every == 0:
            dh_next = np.zeros_like(h0)
    return de, dh_next, dW, dU, db


def no_future(dh, e, h0, h, W, U):
    """backward_through_time: dh_next is dropped"""
    de, _, dW, dU, db = loop(dh, e, h0, h, W, U, carry=False)
    dh0 = ((1 - h[:, 0] ** 2) * dh[:, 0]) @ U
    return de, dh0, dW, dU, db


def no_slope(dh, e, h0, h, W, U):
    """backward_through_time: already with one step, db: the slope of tanh"""
    return loop(dh, e, h0, h, W, U, slope=False)


def no_first_step(dh, e, h0, h, W, U):
    """backward_through_time: already with one step, db: it returns zeros"""
    return loop(dh, e, h0, h, W, U, start=1)


def first_step_not_in_du(dh, e, h0, h, W, U):
    """backward_through_time: already with one step, dU: it returns zeros"""
    return loop(dh, e, 0 * h0, h, W, U)


def zero_dh0(dh, e, h0, h, W, U):
    """backward_through_time: already with one step, dh0: it returns zeros"""
    de, dh0, *rest = loop(dh, e, h0, h, W, U)
    return de, 0 * dh0, *rest


def du_with_new_h(dh, e, h0, h, W, U):
    """backward_through_time: already with one step, dU: it meets the new h"""
    shifted = np.concatenate([h[:, 1:], h[:, -1:]], axis=1)
    de, dh0, dW, _, db = loop(dh, e, h0, h, W, U)
    return de, dh0, dW, loop(dh, e, h[:, 0], h if h.shape[1] == 1 else shifted, W, U)[3], db


def mean_over_steps(dh, e, h0, h, W, U):
    """backward_through_time: db: this is the mean over the steps"""
    de, dh0, dW, dU, db = loop(dh, e, h0, h, W, U)
    T = h.shape[1]
    return de, dh0, dW / T, dU / T, db / T


def last_step_only(dh, e, h0, h, W, U):
    """backward_through_time: db: only the last step"""
    de, dh0, dW, dU, _ = loop(dh, e, h0, h, W, U)
    return de, dh0, dW, dU, ((1 - h[:, -1] ** 2) * dh[:, -1]).sum(axis=0)


def assigned_not_added(dh, e, h0, h, W, U):
    """backward_through_time: db: only the first step is there: does each step write over"""
    de, dh0, dW, dU, db = loop(dh, e, h0, h, W, U)
    return de, dh0, dW, dU, db - loop(dh, e, h0, h, W, U, start=1)[4]


def never_cut(dh, e, h0, h, W, U, every):
    """truncated_backward: with every = 2 the gradient is never cut"""
    return loop(dh, e, h0, h, W, U)


def always_cut(dh, e, h0, h, W, U, every):
    """truncated_backward: with every = 2 the gradient is cut every 1 steps"""
    return loop(dh, e, h0, h, W, U, every=1)


def cut_one_step_late(dh, e, h0, h, W, U, every):
    """truncated_backward: with every = 2 the gradient is cut one step too late"""
    return loop(dh, e, h0, h, W, U, every=every, cut_before=True)


def cut_from_the_end(dh, e, h0, h, W, U, every):
    """truncated_backward: with every = 4 the gradient is cut in chunks that are counted from the"""
    return loop(dh, e, h0, h, W, U, every=every, shift=h.shape[1] % every)


def plain_loop(dh, e, h0, h, W, U, order=reversed, piled=0, wrap=False, back=None):
    de, dW, dU, db, dh_next = np.zeros_like(e), 0.0, 0.0, 0.0, np.zeros_like(h0)
    for t in order(range(h.shape[1])):
        h_prev = h[:, t - 1] if t or wrap else h0
        da = (1 - h[:, t] ** 2) * (dh[:, t] + dh_next)
        de[:, t] = da @ W
        dW, dU, db = dW + da.T @ e[:, t], dU + da.T @ h_prev, db + da.sum(axis=0)
        dh_next = piled * dh_next + da @ (U if back is None else back)
    return de, dh_next, dW, dU, db


def walk(e, h0, W, U, b, hand_on=True):
    h, states = h0, []
    for t in range(e.shape[1]):
        h = np.tanh(e[:, t] @ W.T + (h if hand_on else h0) @ U.T + b)
        states.append(h)
    return np.stack(states, axis=1)


def loop_run_forward(dh, e, h0, h, W, U):
    """backward_through_time: the loop runs forward"""
    return plain_loop(dh, e, h0, h, W, U, order=iter)


def dh_next_piles_up(dh, e, h0, h, W, U):
    """backward_through_time: dh_next piles up"""
    return plain_loop(dh, e, h0, h, W, U, piled=1)


def wraps_at_the_start(dh, e, h0, h, W, U):
    """backward_through_time: h[:, −1]"""
    return plain_loop(dh, e, h0, h, W, U, wrap=True)


def u_transposed_in_the_loop(dh, e, h0, h, W, U):
    """backward_through_time: U is transposed"""
    return plain_loop(dh, e, h0, h, W, U, back=U.T)


def from_zero(e, h0, W, U, b):
    """forward_through_time: h0 is not used"""
    return walk(e, 0 * h0, W, U, b)


def never_handed_on(e, h0, W, U, b):
    """forward_through_time: every step starts from h0"""
    return walk(e, h0, W, U, b, hand_on=False)


def last_word_first(e, h0, W, U, b):
    """forward_through_time: the loop runs backward"""
    return walk(e[:, ::-1], h0, W, U, b)[:, ::-1]


def in_reverse(e, h0, W, U, b):
    """forward_through_time: reverse order"""
    return walk(e, h0, W, U, b)[:, ::-1]


def last_state_everywhere(e, h0, W, U, b):
    """forward_through_time: every step holds the last state"""
    return np.repeat(walk(e, h0, W, U, b)[:, -1:], e.shape[1], axis=1)


def one_late(e, h0, W, U, b):
    """forward_through_time: the state before each step"""
    return np.concatenate([h0[:, None], walk(e, h0, W, U, b)[:, :-1]], axis=1)


def u_turned(e, h0, W, U, b):
    """forward_through_time: U is transposed"""
    return walk(e, h0, W, U.T, b)


def b_forgotten(e, h0, W, U, b):
    """forward_through_time: the bias b is missing"""
    return walk(e, h0, W, U, 0 * b)


def last_only(e, h0, W, U, b):
    """forward_through_time: it must return an array of shape"""
    return walk(e, h0, W, U, b)[:, -1]


def steps_first(e, h0, W, U, b):
    """forward_through_time: it must return an array of shape"""
    return walk(e, h0, W, U, b).transpose(1, 0, 2)


def nothing_for_h0(dh, e, h0, h, W, U, every):
    """truncated_backward: nothing reaches h0"""
    de, dW, dU, db, dh_next = np.zeros_like(e), 0.0, 0.0, 0.0, np.zeros_like(h0)
    for t in reversed(range(h.shape[1])):
        h_prev = h[:, t - 1] if t else h0
        da = (1 - h[:, t] ** 2) * (dh[:, t] + dh_next)
        de[:, t] = da @ W
        dW, dU, db = dW + da.T @ e[:, t], dU + da.T @ h_prev, db + da.sum(axis=0)
        dh_next = da @ U if t % every else np.zeros_like(h0)
    return de, dh_next, dW, dU, db
