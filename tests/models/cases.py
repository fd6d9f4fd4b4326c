"""Models, batches and states at which a wrong path cannot hide, of every body that exists."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

from tinytie import RNNLM, Dropout
from tinytie.models.bodies import BODIES
from tinytie.ops import cells
from tinytie.ops.leaves import leaves, map_leaves

CELLS = tuple(cells.CELLS)
EXAMPLES = {
    name: (kind.model, options)
    for kind in BODIES.values()
    for name, options in kind.examples().items()
}
EVERYWHERE = Dropout(0.2, 0.3, 0.4, 0.3)

every_example = pytest.mark.parametrize("name", EXAMPLES)
every_tie = pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
every_cell = pytest.mark.parametrize("cell", CELLS)


class Case(NamedTuple):
    model: Any
    x: np.ndarray
    y: np.ndarray
    state: Any


def case(seed=0, V=9, B=3, T=5, size=0.6, make=RNNLM, **options):
    """A model with every entry drawn (a zero hides a wrong gradient), and a batch for it.

    All sizes differ, one token stands twice inside a step and again later, and the last word
    never occurs in x.
    """
    if make is RNNLM:
        options = {"d_embed": 4, "d_hidden": 5} | options
    rng, model = np.random.default_rng(seed), make(V, rng=seed, **options)
    for array in model.params.values():
        array[...] = size * rng.standard_normal(array.shape)
    x, y = rng.integers(V - 1, size=(2, B, T))
    x[1:2, 0] = x[0, -1] = x[0, 0]
    noise = lambda a: (size * rng.standard_normal(a.shape)).astype(a.dtype)
    state = model.initial_state(B)
    return Case(model, x, y, None if state is None else map_leaves(noise, state))


def made(name, tied=True, **options):
    """An example of BODIES as a case."""
    make, example = EXAMPLES[name]
    return case(make=make, **example | {"tied": tied} | options)


@st.composite
def recurrent(draw, **fixed):
    """A recurrent case of any cell, depth, tying, projection, width, scale and bias."""
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
    return case(draw(st.integers(0, 2**32 - 1)), d_embed=D, d_hidden=H, **options)


@st.composite
def examples(draw, **fixed):
    """An example of BODIES, tied or not, with numbers and a batch of any seed."""
    name = draw(st.sampled_from([*EXAMPLES]))
    options = {"tied": draw(st.booleans()), "B": draw(st.integers(2, 3))} | fixed
    return made(name, seed=draw(st.integers(0, 2**32 - 1)), **options)


def cases(**fixed):
    """A case of any body; `fixed` is not drawn."""
    return examples(**fixed) | recurrent(**fixed)


def arrays(value):
    """The arrays inside a state, masks or paths, in order."""
    return [*leaves("", value).values()]


def same(one, two):
    """Whether two nested tuples of arrays hold the same bits."""
    pairs = zip(arrays(one), arrays(two), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def close(one, two, rtol=1e-9, atol=1e-12):
    """Nearly equal: two arrays, or two dicts of them with the same names."""
    if not isinstance(one, dict):
        one, two = {"": one}, {"": two}
    assert one.keys() == two.keys()
    for name, array in one.items():
        np.testing.assert_allclose(array, two[name], rtol, atol, err_msg=name)
