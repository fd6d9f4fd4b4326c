"""Attention: what it reads, what it cannot see, and its two ways of being called."""

import numpy as np
import pytest

from tinytie.ops.attention import (
    KeysValues,
    attention_backward,
    attention_forward,
    causal_mask,
    merge_heads,
    multi_head_backward,
    multi_head_forward,
    split_heads,
)

B, T, D, HEADS = 2, 5, 6, 3


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def qkv(rng):
    return rng.standard_normal((3, B, HEADS, T, D // HEADS))


@pytest.fixture
def weights(rng):
    """Wqkv, bqkv, Wo, bo."""
    shapes = (3 * D, D), (3 * D,), (D, D), (D,)
    return [rng.standard_normal(shape) for shape in shapes]


def read_one_by_one(q, k, v):
    """Attention of one head as the paper says it, a place at a time. q, k, v (T, d_k)."""
    o = np.empty_like(q)
    for t in range(len(q)):
        scores = np.array([q[t] @ k[s] for s in range(t + 1)]) / q.shape[1] ** 0.5
        likely = np.exp(scores) / np.exp(scores).sum()
        o[t] = sum(likely[s] * v[s] for s in range(t + 1))
    return o


def test_attention_is_a_weighted_mean_of_the_values_up_to_each_place(qkv):
    o, _ = attention_forward(*qkv)
    for b in range(B):
        for head in range(HEADS):
            expected = read_one_by_one(*qkv[:, b, head])
            np.testing.assert_allclose(o[b, head], expected, rtol=0, atol=1e-14)


def test_each_row_of_weights_sums_to_one_and_is_zero_in_the_future(qkv):
    _, cache = attention_forward(*qkv)
    np.testing.assert_allclose(cache.A.sum(axis=-1), 1, rtol=1e-14)
    assert (np.triu(cache.A, 1) == 0).all()
    assert (cache.A[..., np.tri(T, dtype=bool)] > 0).all()


def test_the_first_place_reads_only_itself(qkv):
    o, _ = attention_forward(*qkv)
    np.testing.assert_array_equal(o[:, :, 0], qkv[2][:, :, 0])


def test_a_later_key_or_value_changes_nothing_to_the_bit(qkv):
    q, k, v = qkv
    before, _ = attention_forward(q, k, v)
    k, v = k.copy(), v.copy()
    k[:, :, 3:], v[:, :, 3:] = 1e4, -1e4
    after, _ = attention_forward(q, k, v)
    np.testing.assert_array_equal(after[:, :, :3], before[:, :, :3])
    assert (after[:, :, 3:] != before[:, :, 3:]).all()


def test_huge_scores_do_not_overflow(qkv):
    q, k, v = qkv
    o, cache = attention_forward(1e4 * q, 1e4 * k, v)
    gradients = attention_backward(np.ones_like(o), cache)
    assert np.isfinite(o).all()
    assert all(np.isfinite(gradient).all() for gradient in gradients)


def test_the_last_query_sees_all_keys_where_there_are_more_keys_than_queries():
    inf = -np.inf
    expected = [[0, 0, 0, inf], [0, 0, 0, 0]]
    np.testing.assert_array_equal(causal_mask(2, 4, np.float64), expected)


def test_one_product_for_query_key_and_value_equals_three(rng, weights):
    x = rng.standard_normal((B, T, D))
    Wqkv, bqkv, Wo, bo = weights
    q, k, v = (
        split_heads(x @ W.T + b, HEADS)
        for W, b in zip(np.split(Wqkv, 3), np.split(bqkv, 3), strict=True)
    )
    expected = merge_heads(attention_forward(q, k, v)[0]) @ Wo.T + bo
    y, _ = multi_head_forward(x, *weights, HEADS)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-13)


def test_head_i_lies_in_the_ith_part_of_the_width(rng):
    x = rng.standard_normal((B, T, D))
    d_k = D // HEADS
    np.testing.assert_array_equal(split_heads(x, HEADS)[:, 1], x[..., d_k : 2 * d_k])
    np.testing.assert_array_equal(merge_heads(split_heads(x, HEADS)), x)


def test_kept_keys_and_values_stand_for_the_places_before(rng, weights):
    x = rng.standard_normal((B, T, D))
    whole, _ = multi_head_forward(x, *weights, HEADS)
    _, first = multi_head_forward(x[:, :3], *weights, HEADS)
    rest, cache = multi_head_forward(x[:, 3:], *weights, HEADS, first.kept)
    np.testing.assert_allclose(rest, whole[:, 3:], rtol=0, atol=1e-13)
    assert cache.kept.k.shape == (B, HEADS, T, D // HEADS)


def test_forward_and_backward_change_neither_arguments_nor_cache(rng, weights):
    x = rng.standard_normal((B, T, D))
    past = KeysValues(*rng.standard_normal((2, B, HEADS, 2, D // HEADS)))
    for array in (x, *weights, *past):
        array.flags.writeable = False
    y, cache = multi_head_forward(x, *weights, HEADS, past)
    dy = rng.standard_normal(y.shape)
    first, second = multi_head_backward(dy, cache), multi_head_backward(dy, cache)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
