"""Lesson 15: the gradient of one gate of an LSTM, and of one of a GRU."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise
from tinytie.course.evidence import law_of_gradient

B, H = 3, 4


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def forget_law(answer):
    """da_f is the derivative of what reaches h and the next step's c, by a_f."""
    rng = answer.rng
    a_f, a_o, c_prev, added, dh, dc_later = rng.standard_normal((6, B, H))
    f, o = sigmoid(a_f), sigmoid(a_o)
    c = f * c_prev + added  # added is i ∘ g

    def loss():
        new = sigmoid(a_f) * c_prev + added
        return float(np.sum(dh * o * np.tanh(new)) + np.sum(dc_later * new))

    got = answer.array((B, H), dh=dh, dc_later=dc_later, f=f, o=o, c=c, c_prev=c_prev)
    suspects = partial(forget_mistakes, dh, dc_later, f, o, c, c_prev)
    law_of_gradient(got, loss, a_f, suspects)


def forget_mistakes(dh, dc_later, f, o, c, c_prev):
    """What each usual mistake would give."""
    slope, through_h = 1 - np.tanh(c) ** 2, dh * o * (1 - np.tanh(c) ** 2)
    dc, df = dc_later + through_h, f * (1 - f) * c_prev
    return {
        "what comes back from the next step, dc_later, is missing: c is used there too": df
        * through_h,
        "the way through h is missing: h = o ∘ tanh(c) uses c too": df * dc_later,
        "the slope of σ, f (1 − f), is missing: this is df, and da_f is asked for": dc * c_prev,
        "the slope is that of tanh, 1 − f²; f is a σ": (1 - f**2) * dc * c_prev,
        "σ is taken once more; f already is σ(a_f)": sigmoid(f) * (1 - sigmoid(f)) * dc * c_prev,
        "the other factor of the product f ∘ c_prev is missing": f * (1 - f) * dc,
        "the other factor is c_prev, the memory before, and this takes c": f * (1 - f) * dc * c,
        "f itself is the other factor of c_prev; da_f needs that of f": f * (1 - f) * dc * f,
        "the slope of tanh, 1 − tanh(c)², is missing on the way through h": df
        * (dc_later + dh * o),
        "the slope of tanh is 1 − tanh(c)², and this takes 1 − c²": df
        * (dc_later + dh * o * (1 - c**2)),
        "the gate o is missing on the way through h": df * (dc_later + dh * slope),
        "dc_later does not come through h, so it meets neither o nor the slope of tanh": df
        * (dc_later + dh) * o * slope,
    }  # fmt: skip


def update_law(answer):
    """da_z is the derivative of what reaches h, by a_z."""
    rng = answer.rng
    a_z, n, h_prev, dh = rng.standard_normal((4, B, H))
    z = sigmoid(a_z)

    def loss():
        new = sigmoid(a_z)
        return float(np.sum(dh * ((1 - new) * n + new * h_prev)))

    got = answer.array((B, H), dh=dh, z=z, n=n, h_prev=h_prev)
    law_of_gradient(got, loss, a_z, partial(update_mistakes, dh, z, n, h_prev))


def update_mistakes(dh, z, n, h_prev):
    """What each usual mistake would give."""
    slope = z * (1 - z)
    return {
        "the two parts of h are swapped: 1 − z stands at n, so n comes with a minus": slope
        * dh * (n - h_prev),
        "the part with 1 − z is missing: z is used twice": slope * dh * h_prev,
        "the part with z ∘ h_prev is missing: z is used twice": -slope * dh * n,
        "the two parts are added; 1 − z falls where z rises": slope * dh * (h_prev + n),
        "the slope of σ, z (1 − z), is missing: this is dz, and da_z is asked for": dh
        * (h_prev - n),
        "the slope is that of tanh, 1 − z²; z is a σ": (1 - z**2) * dh * (h_prev - n),
        "σ is taken once more; z already is σ(a_z)": sigmoid(z) * (1 - sigmoid(z)) * dh
        * (h_prev - n),
    }  # fmt: skip


EXERCISES = [
    Exercise("forget_gate_backward", forget_law),
    Exercise("update_gate_backward", update_law),
]
