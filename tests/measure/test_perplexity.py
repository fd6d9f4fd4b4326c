"""Perplexity: exact over a stream, whatever the pieces."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie import RNNLM
from tinytie.measure.perplexity import perplexity, predict, windows, word_probabilities


@pytest.fixture(scope="module")
def model():
    return RNNLM(9, 5, cell="lstm", n_layers=2, rng=0)


@pytest.fixture(scope="module")
def stream():
    return np.random.default_rng(1).integers(9, size=47)


@given(n=st.integers(2, 40), steps=st.integers(1, 50))
def test_every_token_but_the_first_is_predicted_once(n, steps):
    pieces = list(windows(np.arange(n), steps))
    np.testing.assert_array_equal(np.concatenate([x[0] for x, _ in pieces]), np.arange(n - 1))
    np.testing.assert_array_equal(np.concatenate([y[0] for _, y in pieces]), np.arange(1, n))


@pytest.mark.parametrize("steps", [1, 7, 46, 500])
def test_the_pieces_do_not_change_the_sum(model, stream, steps):
    whole, _ = model.loss(stream[np.newaxis, :-1], stream[np.newaxis, 1:])
    prediction = predict(model, stream, steps)
    assert prediction.tokens == 46
    assert prediction.loss == pytest.approx(whole, rel=1e-12)


def test_rows_side_by_side_start_anew(model, stream):
    rows = stream[:46].reshape(2, 23)
    expected = [predict(model, row).nats for row in rows]
    prediction = predict(model, stream, 5, batch_size=2)
    assert prediction.tokens == 44
    assert prediction.nats == pytest.approx(sum(expected), rel=1e-12)


def test_the_chain_rule_gives_the_probability_of_the_text(model, stream):
    p = word_probabilities(model, stream)
    assert p.shape == (46,) and (p > 0).all() and (p < 1).all()
    assert -np.log(p).sum() == pytest.approx(predict(model, stream).nats, rel=1e-12)


def test_zero_weights_are_a_fair_choice_among_all_words(stream):
    model = RNNLM(9, 5, rng=0)
    for array in model.params.values():
        array[...] = 0
    assert predict(model, stream).perplexity == pytest.approx(9)


def test_perplexity_is_exp_of_the_loss_and_inf_beyond_floats():
    assert perplexity(math.log(50)) == pytest.approx(50)
    assert perplexity(1e4) == math.inf


@pytest.mark.parametrize(("n", "rows"), [(1, 1), (5, 3)])
def test_a_text_without_a_second_token_is_told(model, n, rows):
    with pytest.raises(ValueError, match="nothing to predict"):
        predict(model, np.zeros(n, int), batch_size=rows)
