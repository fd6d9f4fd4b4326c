"""The joint map: before a word's row and a state meet in a score, each goes through a layer.

    s = h′ E′ᵀ + c,   E′ = tanh(E Mᵀ + m),   h′ = tanh(h Nᵀ + n)

Pappas, Miculicich and Henderson 2018: between tying (no layer) and two matrices, for the words'
side of the scores is made from E by a map that all words share. (σ is tanh here.)
"""

from typing import NamedTuple

from tinytie.ops.activations import tanh_backward, tanh_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import scores_backward, scores_forward


class JointCache(NamedTuple):
    words: tuple  # the layer over E
    states: tuple  # the layer over h
    scored: NamedTuple


def joint_forward(h, E, M, m, N, n, c=None):
    """s = tanh(h Nᵀ + n) tanh(E Mᵀ + m)ᵀ + c. Returns s (..., V).

    h (..., H), E (V, D), M (J, D), m (J,), N (J, H), n (J,), c (V,) or None.
    """
    E_mapped, words = layer_forward(E, M, m)
    h_mapped, states = layer_forward(h, N, n)
    s, scored = scores_forward(h_mapped, E_mapped, c)
    return s, JointCache(words, states, scored)


def joint_backward(ds, cache):
    """Back through the scores, then through each side's layer.

    ds (..., V); returns dh (..., H), dE (V, D), dM (J, D), dm (J,), dN (J, H), dn (J,), dc (V,).
    """
    dh_mapped, dE_mapped, dc = scores_backward(ds, cache.scored)
    dE, dM, dm = layer_backward(dE_mapped, cache.words)
    dh, dN, dn = layer_backward(dh_mapped, cache.states)
    return dh, dE, dM, dm, dN, dn, dc


def layer_forward(x, W, b):
    """tanh(x Wᵀ + b), and the caches of both."""
    a, linear = linear_forward(x, W, b)
    y, bent = tanh_forward(a)
    return y, (linear, bent)


def layer_backward(dy, caches):
    """dx, dW, db."""
    linear, bent = caches
    return linear_backward(tanh_backward(dy, bent), linear)
