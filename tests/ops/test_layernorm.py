"""Layer norm, positions, gelu and the feed-forward layer, each against what it is said to be."""

import math

import numpy as np
import pytest

from tinytie.ops.activations import gelu_backward, gelu_forward
from tinytie.ops.feedforward import feed_forward_backward, feed_forward_forward
from tinytie.ops.layernorm import EPS, layernorm_backward, layernorm_forward
from tinytie.ops.positions import positions_backward, positions_forward, sinusoids


@pytest.fixture
def x():
    return np.random.default_rng(0).standard_normal((2, 3, 8))


def test_each_vector_gets_mean_zero_and_the_biased_variance_of_one(x):
    y, _ = layernorm_forward(x, np.ones(8), np.zeros(8))
    np.testing.assert_allclose(y.mean(axis=-1), 0, atol=1e-15)
    np.testing.assert_allclose(y.var(axis=-1), x.var(axis=-1) / (x.var(axis=-1) + EPS), rtol=1e-13)


def test_a_constant_vector_becomes_the_shift(x):
    shift = np.arange(8.0)
    y, _ = layernorm_forward(np.full((1, 1, 8), 3.0), np.ones(8), shift)
    np.testing.assert_array_equal(y[0, 0], shift)


def test_gain_and_shift_act_after_the_normalization(x):
    gain, shift = np.arange(8.0), -np.arange(8.0)
    plain, _ = layernorm_forward(x, np.ones(8), np.zeros(8))
    y, _ = layernorm_forward(x, gain, shift)
    np.testing.assert_allclose(y, gain * plain + shift, rtol=1e-15)


def test_the_gradient_of_x_is_blind_to_a_common_shift(x):
    """Adding one number to a whole vector changes nothing, so each row of dx sums to zero."""
    y, cache = layernorm_forward(x, np.arange(8.0), np.zeros(8))
    dx, _, _ = layernorm_backward(np.random.default_rng(1).standard_normal(y.shape), cache)
    np.testing.assert_allclose(dx.sum(axis=-1), 0, atol=1e-14)
    assert np.abs(dx).max() > 0.1


def test_gelu_is_close_to_a_times_the_normal_distribution():
    a = np.linspace(-5, 5, 41)
    exact = np.array([value * 0.5 * (1 + math.erf(value / math.sqrt(2))) for value in a])
    h, _ = gelu_forward(a)
    assert 1e-5 < np.abs(h - exact).max() < 5e-4  # the tanh form, not the exact one


def test_gelu_at_one_is_the_tanh_form_by_hand():
    h, _ = gelu_forward(np.array([1.0]))
    assert h[0] == pytest.approx(0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * 1.044715)))


def test_gelu_far_away_is_relu():
    h, cache = gelu_forward(np.array([-50.0, 50.0]))
    np.testing.assert_array_equal(h, [0, 50])
    np.testing.assert_array_equal(gelu_backward(np.ones(2), cache), [0, 1])


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_the_feed_forward_layer_treats_each_place_alone(x, activation):
    rng = np.random.default_rng(1)
    weights = [rng.standard_normal(shape) for shape in [(5, 8), (5,), (8, 5), (8,)]]
    whole, _ = feed_forward_forward(x, *weights, activation)
    one, _ = feed_forward_forward(x[:1, 1:2], *weights, activation)
    np.testing.assert_allclose(whole[:1, 1:2], one, rtol=0, atol=1e-14)


def test_a_place_has_the_same_vector_in_every_row_of_the_batch(x):
    pos = np.random.default_rng(1).standard_normal((6, 8))
    h, cache = positions_forward(x, pos, start=2)
    for row in range(2):
        np.testing.assert_array_equal(h[row], x[row] + pos[2:5])
    _, dpos = positions_backward(x, cache)
    np.testing.assert_array_equal(dpos[2:5], x[0] + x[1])
    assert not dpos[[0, 1, 5]].any()


def test_sinusoids_pair_a_sine_with_the_cosine_of_the_same_angle():
    table = sinusoids(50, 6)
    for t in (0, 1, 49):
        for i in range(3):
            angle = t / 10000 ** (2 * i / 6)
            assert table[t, 2 * i] == pytest.approx(math.sin(angle), abs=1e-14)
            assert table[t, 2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-14)


def test_sinusoids_of_an_odd_width_end_in_a_sine():
    assert sinusoids(3, 5)[2, 4] == pytest.approx(math.sin(2 / 10000 ** (4 / 5)))


def test_float32_stays_float32(x):
    x = x.astype(np.float32)
    one, W1 = np.ones(8, np.float32), np.ones((4, 8), np.float32)
    y, cache = layernorm_forward(x, one, one)
    arrays = [y, *layernorm_backward(y, cache)]
    y, cache = feed_forward_forward(x, W1, one[:4], W1.T, one, "gelu")
    arrays += [y, *feed_forward_backward(y, cache)]
    y, cache = positions_forward(x, sinusoids(4, 8, np.float32))
    arrays += [y, *positions_backward(y, cache)]
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}
