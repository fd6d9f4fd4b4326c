"""The value of the loss, which no gradient check can see: against plain sums, and at its limits."""

import math

import numpy as np
import pytest

from tinytie.ops import head
from tinytie.ops.head import head_backward, head_forward
from tinytie.ops.softmax import (
    cross_entropy_forward,
    softmax,
    softmax_loss_backward,
    softmax_loss_forward,
)

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


@pytest.mark.parametrize("cached", [1, 10, 10**6])
@pytest.mark.parametrize("chunk", [None, 1, 4, 100])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("padded", [True, False])
def test_the_fast_head_is_the_textbook_pair(chunk, cached, bias, padded, monkeypatch):
    monkeypatch.setattr(head, "CACHED", cached)
    h, E, c = (RNG.standard_normal(shape) for shape in [(2, 3, 4), (5, 4), (5,)])
    c, counted = c if bias else None, Y[0, 0] != Y if padded else None
    loss, cache = softmax_loss_forward(h, E, c, Y, counted)
    memory = np.full((6, 5), np.nan)
    fast_loss, fast_cache = head_forward(h, E, c, Y, counted, chunk, memory)
    assert fast_loss == pytest.approx(loss, rel=1e-12)
    assert (fast_cache.ds is memory) == (chunk is None)
    pairs = zip(softmax_loss_backward(2.0, cache), head_backward(2.0, fast_cache), strict=True)
    for textbook, fast in pairs:
        np.testing.assert_equal(fast is None, textbook is None)
        if fast is not None:
            np.testing.assert_allclose(fast, textbook, rtol=1e-11, atol=1e-15)


def test_equal_scores_cost_the_logarithm_of_the_vocabulary():
    assert cross_entropy_forward(np.full((2, 3, 5), 7.0), Y)[0] == pytest.approx(math.log(5))


def test_a_softmax_is_the_exponentials_over_their_sum():
    exp = np.exp(S)
    np.testing.assert_allclose(softmax(S), exp / exp.sum(axis=-1, keepdims=True), rtol=1e-12)


def test_scores_of_ten_thousand_are_no_matter():
    s = np.array([[1e4, -1e4, 0.0]])
    assert softmax(s).tolist() == [[1.0, 0.0, 0.0]]
    assert cross_entropy_forward(s, np.array([1]))[0] == 2e4
