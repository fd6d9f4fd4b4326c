"""Models, batches and states at which a wrong path cannot hide, of any kind that exists."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from tinytie import RNNLM, Dropout

CELLS = ("rnn", "gru", "lstm")
EVERYWHERE = Dropout(0.2, 0.3, 0.4, 0.3)


class Case(NamedTuple):
    model: RNNLM
    x: np.ndarray
    y: np.ndarray
    state: tuple


def case(seed=0, V=9, D=4, H=5, B=3, T=5, size=0.6, **options):
    """A model with every entry drawn (a zero hides a wrong gradient), and a batch for it.

    All sizes differ, one token stands twice inside a step and again later, and the last word
    never occurs in x.
    """
    rng = np.random.default_rng(seed)
    model = RNNLM(V, D, H, rng=seed, **options)
    for array in model.params.values():
        array[...] = size * rng.standard_normal(array.shape)
    x, y = rng.integers(V - 1, size=(2, B, T))
    x[1, 0] = x[0, -1] = x[0, 0]
    return Case(model, x, y, random_state(model, B, rng, size))


def random_state(model, batch, rng, size=0.6):
    """A state that is zero nowhere."""

    zeros = model.initial_state(batch)
    return mapped(lambda a: (size * rng.standard_normal(a.shape)).astype(a.dtype), zeros)


def arrays(value):
    """The arrays inside a state, masks or paths, in order."""
    if not isinstance(value, tuple):
        return [] if value is None else [value]
    return [array for part in value for array in arrays(part)]


def mapped(f, value):
    """The same nested tuples with f of each array."""
    if not isinstance(value, tuple):
        return f(value)
    parts = [mapped(f, part) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def same(one, two):
    """Whether two nested tuples of arrays hold the same bits."""
    pairs = zip(arrays(one), arrays(two), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


@st.composite
def cases(draw, **fixed):
    """A case of any cell, depth, tying, projection, width, scale and bias; `fixed` is not drawn."""
    D, H = draw(st.sampled_from([(4, 5), (6, 3), (4, 4)]))
    options = {
        "cell": draw(st.sampled_from(CELLS)),
        "n_layers": draw(st.integers(1, 3)),
        "tied": draw(st.booleans()),
        "projection": draw(st.sampled_from([None, True])),
        "activation": draw(st.sampled_from(["tanh", "relu"])),
        "embed_scale": draw(st.sampled_from([1.0, 2.0, 0.3])),
        "output_bias": draw(st.booleans()),
    } | fixed
    return case(draw(st.integers(0, 2**32 - 1)), D=D, H=H, **options)
