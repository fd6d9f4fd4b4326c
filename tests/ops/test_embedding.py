"""A lookup is a product with one-hot rows, times the scale."""

import numpy as np
import pytest

from tinytie.ops.embedding import (
    embedding_backward,
    embedding_forward,
    embedding_rows_backward,
    onehot,
)

RNG = np.random.default_rng(0)
E, X = RNG.standard_normal((7, 3)), RNG.integers(7, size=(2, 5))


def test_a_lookup_is_a_product_with_one_hot_rows():
    np.testing.assert_array_equal(embedding_forward(X, E)[0], onehot(X, 7) @ E)


@pytest.mark.parametrize("scale", [0.5, 2.0, 3.0])
def test_the_scale_multiplies_the_rows_and_not_the_matrix(scale):
    before = E.copy()
    np.testing.assert_allclose(embedding_forward(X, E, scale)[0], scale * E[X])
    np.testing.assert_array_equal(E, before)


def test_a_repeated_token_collects_every_place():
    x, de = np.array([[2, 2, 4], [2, 4, 4]]), RNG.standard_normal((2, 3, 3))
    dE = embedding_backward(de, embedding_forward(x, E)[1])
    np.testing.assert_allclose(dE[2], de[0, 0] + de[0, 1] + de[1, 0])
    np.testing.assert_allclose(dE[4], de[0, 2] + de[1, 1] + de[1, 2])
    assert not dE[[0, 1, 3, 5, 6]].any()


@pytest.mark.parametrize("scale", [1.0, 1.7])
@pytest.mark.parametrize("shape", [(2, 5), (1, 1), (40,)])
def test_the_rows_that_models_use_are_the_textbook_gradient(shape, scale):
    x, de, dE_out = RNG.integers(7, size=shape), RNG.standard_normal((*shape, 3)), E.copy()
    cache = embedding_forward(x, E, scale)[1]
    textbook, rows = embedding_backward(de, cache), embedding_rows_backward(de, cache)
    np.testing.assert_allclose(rows.dense(), textbook, rtol=1e-12, atol=1e-15)
    assert rows.tokens.tolist() == sorted(set(x.ravel().tolist()))
    expected = rows.dense() + dE_out
    total = rows + dE_out
    np.testing.assert_array_equal(total, expected)
    assert total is dE_out  # the sum takes its place
