"""The models that `tinytie check` looks at, and their batches."""

import numpy as np
import pytest

from tinytie.gradcheck.configurations import (
    DROPOUT,
    PADDING,
    SCALE,
    Recurrent,
    Transformer,
    configurations,
    telling_batch,
)

ALL = configurations()


@pytest.mark.parametrize("c", ALL, ids=lambda c: c.title)
def test_a_configuration_makes_the_model_that_it_names(c):
    model = c.model(np.random.default_rng(0))
    assert (model.tied, model.n_layers) == (c.tied, c.n_layers)
    assert model.embed_scale == (SCALE if c.scale else 1.0)
    assert ("c" in model.params) == c.bias
    assert all(array.all() for array in model.params.values())
    if isinstance(c, Recurrent):
        assert (c.cell, c.activation) == (model.cell, model.activation)
        assert model.dropout == (DROPOUT if c.dropout else (0, 0, 0, 0, False))
        assert ("P" in model.params, model.padding_id) == (
            c.projection, PADDING if c.padding else None,
        )  # fmt: skip
    else:
        assert model.dropout == (0.3 if c.dropout else 0)
        assert (model.norm, model.activation) == (
            "pre" if c.pre_norm else "post", "gelu" if c.gelu else "relu",
        )  # fmt: skip
        assert (model.positions == "sinusoidal", model.final_norm) == (c.sinusoidal, c.final_norm)
        assert model.n_heads > 1


def test_a_title_names_the_options_that_are_on():
    off = Recurrent("gru", "tanh", 1, False, False, False, True, False, False)
    assert off.title == "gru, 1 layer, untied"
    on = off._replace(n_layers=2, tied=True, projection=True, dropout=True, bias=False)
    assert on.title == "gru, 2 layers, tied, projection, dropout, no output bias"
    assert off._replace(cell="rnn", activation="relu").title == "rnn, relu, 1 layer, untied"
    everything = Transformer("transformer", 1, *[True] * 8)
    assert everything.title == (
        "transformer, 1 layer, tied, scale, dropout, pre norm, gelu, sinusoidal, final norm"
    )


def test_the_batch_repeats_a_token_and_begins_in_a_state_that_is_not_zero():
    rng = np.random.default_rng(0)
    lstm = next(c for c in ALL if c.cell == "lstm").model(rng)
    x, y, state = telling_batch(lstm, rng)
    assert x[0, 0] == x[1, 0] == x[0, -1] and (y != PADDING).any()
    kept = lstm.initial_state(len(x))
    assert [type(part) for part in state] == [type(part) for part in kept]
    assert all(array.all() for part in state for array in part)
    transformer = next(c for c in ALL if c.cell == "transformer").model(rng)
    assert telling_batch(transformer, rng)[2] is None
