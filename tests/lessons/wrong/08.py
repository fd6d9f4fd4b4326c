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
