"""The value of the loss, which no gradient check can see: against plain sums, and at its limits."""

import math

import numpy as np
import pytest

from tinytie.ops import softmax as module
from tinytie.ops.softmax import cross_entropy_forward, softmax, softmax_loss_forward

RNG = np.random.default_rng(0)
S, Y = RNG.standard_normal((2, 3, 5)), RNG.integers(5, size=(2, 3))


def one_loss(scores, target):
    """−log of the target's share, by the definition."""
    return math.log(sum(math.exp(s) for s in scores)) - scores[target]


def test_the_loss_is_the_mean_of_the_definition():
    losses = [one_loss(S[i, t].tolist(), Y[i, t]) for i in range(2) for t in range(3)]
    assert cross_entropy_forward(S, Y)[0] == pytest.approx(sum(losses) / 6, rel=1e-12)


def test_only_counted_targets_are_in_the_mean():
    counted = np.array([[True, False, True], [False, False, True]])
    losses = [one_loss(S[i, t].tolist(), Y[i, t]) for i, t in np.argwhere(counted)]
    assert cross_entropy_forward(S, Y, counted)[0] == pytest.approx(sum(losses) / 3, rel=1e-12)


@pytest.mark.parametrize("chunk", [None, 1, 2, 100])
def test_the_loss_of_scores_and_the_loss_in_one_operation_agree(chunk):
    h, E, c = (RNG.standard_normal(shape) for shape in [(2, 3, 4), (5, 4), (5,)])
    expected, _ = cross_entropy_forward(h @ E.T + c, Y)
    assert softmax_loss_forward(h, E, c, Y, chunk=chunk)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("cached", [1, 7, 10])
def test_scores_that_do_not_fit_the_cache_at_once_have_the_same_gradient(cached, monkeypatch):
    h, E, c = (RNG.standard_normal(shape) for shape in [(2, 3, 4), (5, 4), (5,)])
    loss, cache = softmax_loss_forward(h, E, c, Y)
    monkeypatch.setattr(module, "CACHED", cached)
    out = np.full((6, 5), np.nan)
    in_pieces, other = softmax_loss_forward(h, E, c, Y, out=out)
    assert in_pieces == pytest.approx(loss, rel=1e-12) and np.shares_memory(other.ds, out)
    np.testing.assert_allclose(other.ds, cache.ds, rtol=1e-12, atol=1e-15)


def test_equal_scores_cost_the_logarithm_of_the_vocabulary():
    assert cross_entropy_forward(np.full((2, 3, 5), 7.0), Y)[0] == pytest.approx(math.log(5))


def test_a_softmax_is_the_exponentials_over_their_sum():
    exp = np.exp(S)
    np.testing.assert_allclose(softmax(S), exp / exp.sum(axis=-1, keepdims=True), rtol=1e-12)


def test_scores_of_ten_thousand_are_no_matter():
    s = np.array([[1e4, -1e4, 0.0]])
    assert softmax(s).tolist() == [[1.0, 0.0, 0.0]]
    assert cross_entropy_forward(s, np.array([1]))[0] == 2e4
