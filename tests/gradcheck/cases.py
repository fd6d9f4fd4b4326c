"""Models and batches at which a wrong gradient cannot hide."""

import numpy as np

from tinytie import RNNLM
from tinytie.models.masks import Dropout


def telling_case(seed=0, size=1.0, make=RNNLM, batch=2, steps=5, **options):
    """(model, x, y, state): all sizes different, a token twice in one step, nothing zero.

    size: the standard deviation of every parameter, biases and the state included.
    """
    rng = np.random.default_rng(seed)
    options = {"d_hidden": 5} | options
    model = make(9, 4, rng=0, **options)
    for name, array in model.params.items():
        array[...] = size * rng.standard_normal(array.shape)
        assert array.any(), name
    x, y = rng.integers(9, size=(2, batch, steps))
    x[1, 0] = x[0, 0]  # twice inside one step
    x[0, -1] = x[0, 0]  # and again later
    state = model.initial_state(batch)
    return model, x, y, noisy(state, rng, size)


def noisy(state, rng, size):
    """A state of the same structure with random numbers."""
    if isinstance(state, tuple):
        parts = [noisy(part, rng, size) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return size * rng.standard_normal(state.shape)


EVERYWHERE = Dropout(0.2, 0.3, 0.4, 0.3, variational=True)
