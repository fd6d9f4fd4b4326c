"""Wrong answers to lesson 15. Docstring: the exercise, and what the message must say."""

import numpy as np


def through_h(dh, o, c):
    return dh * o * (1 - np.tanh(c) ** 2)


def only_h(dh, dc_later, f, o, c, c_prev):
    """forget_gate_backward: dc_later, is missing"""
    return f * (1 - f) * through_h(dh, o, c) * c_prev


def only_later(dh, dc_later, f, o, c, c_prev):
    """forget_gate_backward: the way through h is missing"""
    return f * (1 - f) * dc_later * c_prev


def stops_at_f(dh, dc_later, f, o, c, c_prev):
    """forget_gate_backward: this is df, and da_f is asked for"""
    return (dc_later + through_h(dh, o, c)) * c_prev


def slope_of_tanh(dh, dc_later, f, o, c, c_prev):
    """forget_gate_backward: the slope is that of tanh"""
    return (1 - f**2) * (dc_later + through_h(dh, o, c)) * c_prev


def new_memory(dh, dc_later, f, o, c, c_prev):
    """forget_gate_backward: the memory before, and this takes c"""
    return f * (1 - f) * (dc_later + through_h(dh, o, c)) * c


def no_slope_in_h(dh, dc_later, f, o, c, c_prev):
    """forget_gate_backward: is missing on the way through h"""
    return f * (1 - f) * (dc_later + dh * o) * c_prev


def c_is_no_tanh(dh, dc_later, f, o, c, c_prev):
    """forget_gate_backward: and this takes 1 − c²"""
    return f * (1 - f) * (dc_later + dh * o * (1 - c**2)) * c_prev


def all_through_h(dh, dc_later, f, o, c, c_prev):
    """forget_gate_backward: dc_later does not come through h"""
    return f * (1 - f) * through_h(dh + dc_later, o, c) * c_prev


def one_use_of_z(dh, z, n, h_prev):
    """update_gate_backward: the part with 1 − z is missing"""
    return z * (1 - z) * dh * h_prev


def the_other_use_of_z(dh, z, n, h_prev):
    """update_gate_backward: the part with z ∘ h_prev is missing"""
    return -z * (1 - z) * dh * n


def parts_swapped(dh, z, n, h_prev):
    """update_gate_backward: the two parts of h are swapped"""
    return z * (1 - z) * dh * (n - h_prev)


def parts_added(dh, z, n, h_prev):
    """update_gate_backward: the two parts are added"""
    return z * (1 - z) * dh * (h_prev + n)


def stops_at_z(dh, z, n, h_prev):
    """update_gate_backward: this is dz"""
    return dh * (h_prev - n)
