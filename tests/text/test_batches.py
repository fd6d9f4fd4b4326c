"""Batches hold the stream: nothing twice, nothing out of place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie.text.batches import Batches

sizes = st.tuples(st.integers(1, 4), st.integers(1, 5))


@given(sizes, st.integers(0, 60))
def test_there_are_as_many_batches_as_the_recipe_says(sizes, extra):
    B, T = sizes
    n = B * (T + 1) + extra
    batches = Batches(np.arange(n), B, T)
    assert len(batches) == len(list(batches)) == (n // B - 1) // T
    assert batches.tokens == sum(y.size for _, y in batches)


@given(sizes, st.integers(0, 60))
def test_a_target_is_the_word_after_its_input_and_rows_go_on(sizes, extra):
    B, T = sizes
    n = B * (T + 1) + extra
    batches = Batches(np.arange(n), B, T)  # ids are positions, so that order can be read off
    for i, (x, y) in enumerate(batches):
        assert x.shape == y.shape == (B, T)
        np.testing.assert_array_equal(y, x + 1)
        np.testing.assert_array_equal(x[:, 0], np.arange(B) * (n // B) + i * T)


def test_one_token_less_than_a_batch_takes_is_too_short():
    assert len(Batches(np.arange(12), 3, 3)) == 1
    with pytest.raises(ValueError, match=r"11 tokens, too few .* takes 12"):
        Batches(np.arange(11), 3, 3)


def test_there_is_no_batch_before_the_first_or_after_the_last():
    batches = Batches(np.arange(20), 2, 3)
    for i in (-1, len(batches)):
        with pytest.raises(IndexError):
            batches[i]
