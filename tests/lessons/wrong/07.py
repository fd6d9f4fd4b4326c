"""Wrong answers to lesson 07. Docstring: the exercise, and what the message must say."""

import numpy as np


def tanh_for_all(name, h):
    """slope_from_h: sigmoid: this is the slope of tanh"""
    return 1 - h**2


def no_square(name, h):
    """slope_from_h: tanh: 1 − h is not the slope"""
    return 1 - h


def tanh_again(name, h):
    """slope_from_h: takes tanh once more"""
    return 1 - np.tanh(h) ** 2


def h_for_relu(name, h):
    """slope_from_h: relu: this is h itself"""
    return {"tanh": 1 - h**2, "sigmoid": h * (1 - h), "relu": h}[name]


def products(da, e, h_prev, W, U):
    return da @ W, da @ U, da.T @ e, da.T @ h_prev, da.sum(axis=0)


def no_slope(dh, e, h_prev, h, W, U):
    """step_backward: db: the slope of tanh, 1 − h², is missing"""
    return products(dh, e, h_prev, W, U)


def slope_at_previous(dh, e, h_prev, h, W, U):
    """step_backward: db: the slope is taken at the previous h"""
    return products((1 - h_prev**2) * dh, e, h_prev, W, U)


def one_minus_h(dh, e, h_prev, h, W, U):
    """step_backward: db: 1 − h is not the slope of tanh"""
    return products((1 - h) * dh, e, h_prev, W, U)


def new_h_in_du(dh, e, h_prev, h, W, U):
    """step_backward: dU: it meets the new h"""
    da = (1 - h**2) * dh
    return da @ W, da @ U, da.T @ e, da.T @ h, da.sum(axis=0)


def u_transposed(dh, e, h_prev, h, W, U):
    """step_backward: dh_prev: U is transposed"""
    da = (1 - h**2) * dh
    return da @ W, da @ U.T, da.T @ e, da.T @ h_prev, da.sum(axis=0)


def du_transposed(dh, e, h_prev, h, W, U):
    """step_backward: dU: it is transposed"""
    da = (1 - h**2) * dh
    return da @ W, da @ U, da.T @ e, h_prev.T @ da, da.sum(axis=0)


def dw_transposed(dh, e, h_prev, h, W, U):
    """step_backward: dW: it must return an array of shape (5, 4), and returns shape (4, 5)"""
    da = (1 - h**2) * dh
    return da @ W, da @ U, e.T @ da, da.T @ h_prev, da.sum(axis=0)


def bias_averaged(dh, e, h_prev, h, W, U):
    """step_backward: db: the mean over the batch"""
    da = (1 - h**2) * dh
    return da @ W, da @ U, da.T @ e, da.T @ h_prev, da.mean(axis=0)


def four_results(dh, e, h_prev, h, W, U):
    """step_backward: it must return 5 arrays: de, dh_prev, dW, dU, db"""
    return products((1 - h**2) * dh, e, h_prev, W, U)[:4]


def slope_missing_in_de(dh, e, h_prev, h, W, U):
    """step_backward: de: the slope of tanh is missing here"""
    da = (1 - h**2) * dh
    return dh @ W, da @ U, da.T @ e, da.T @ h_prev, da.sum(axis=0)


def no_tanh(e, h_prev, W, U, b):
    """step: tanh is missing"""
    return e @ W.T + h_prev @ U.T + b


def no_bias(e, h_prev, W, U, b):
    """step: the bias b is missing"""
    return np.tanh(e @ W.T + h_prev @ U.T)


def no_state(e, h_prev, W, U, b):
    """step: the previous state is missing"""
    return np.tanh(e @ W.T + b)


def no_input(e, h_prev, W, U, b):
    """step: the input is missing"""
    return np.tanh(h_prev @ U.T + b)


def forward_u_transposed(e, h_prev, W, U, b):
    """step: U is transposed"""
    return np.tanh(e @ W.T + h_prev @ U + b)


def tanh_twice(e, h_prev, W, U, b):
    """step: tanh is taken twice"""
    return np.tanh(np.tanh(e @ W.T + h_prev @ U.T + b))


def a_sigmoid(e, h_prev, W, U, b):
    """step: this is the sigmoid"""
    return 1 / (1 + np.exp(-(e @ W.T + h_prev @ U.T + b)))


def a_relu(e, h_prev, W, U, b):
    """step: this is relu"""
    return np.maximum(e @ W.T + h_prev @ U.T + b, 0)


def tanh_of_parts(e, h_prev, W, U, b):
    """step: tanh is taken of each part"""
    return np.tanh(e @ W.T) + np.tanh(h_prev @ U.T + b)


def bias_outside(e, h_prev, W, U, b):
    """step: b stands outside"""
    return np.tanh(e @ W.T + h_prev @ U.T) + b


def minus_b(e, h_prev, W, U, b):
    """step: the bias is subtracted"""
    return np.tanh(e @ W.T + h_prev @ U.T - b)


def w_not_transposed(e, h_prev, W, U, b):
    """step: it stops with ValueError"""
    return np.tanh(e @ W + h_prev @ U.T + b)


def slope_of_a(dh, e, h_prev, h, W, U):
    """step_backward: db: the slope is taken at a"""
    da = (1 - np.arctanh(h) ** 2) * dh
    return da @ W, da @ U, da.T @ e, da.T @ h_prev, da.sum(axis=0)
