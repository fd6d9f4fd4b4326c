"""Clipping by the norm of all gradients as one vector, the tied one counted once, as a sum."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.optimizer_bugs import WRONG_CLIPPING
from tinytie import RNNLM
from tinytie.training.clipping import clip_by_global_norm, global_norm

FROZEN = {"E": np.array([0, 2]), "p": True}


def gradients(seed, size=1.0):
    rng = np.random.default_rng(seed)
    shapes = {"E": (5, 3), "U0": (3, 3), "p": (3,)}
    return {n: size * rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}


def assert_clips(clip, seed, size, max_norm):
    """Same direction, the right length, frozen entries out of it, nothing changed or promoted."""
    grads = gradients(seed, size)
    before = copy.deepcopy(grads)
    clipped, norm = clip(grads, max_norm, FROZEN)
    counted = {n: g.astype(float) for n, g in before.items()}
    counted["E"][[0, 2]], counted["p"][:] = 0, 0
    length = np.sqrt(sum((g**2).sum() for g in counted.values()))
    assert norm == pytest.approx(length, rel=1e-5)
    for name, g in clipped.items():
        assert g.dtype == np.float32
        expected = counted[name] * min(1, max_norm / length)
        np.testing.assert_allclose(g, expected, rtol=1e-5, atol=1e-7 * size)


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 100), st.floats(0.01, 100))
def test_the_whole_gradient_keeps_its_direction(seed, size, max_norm):
    assert_clips(clip_by_global_norm, seed, size, max_norm)


@pytest.mark.parametrize("wrong", WRONG_CLIPPING)
def test_wrong_clipping_is_caught(wrong):
    with pytest.raises(AssertionError):
        assert_clips(wrong, seed=0, size=10.0, max_norm=1.0)


def test_no_limit_clips_nothing():
    grads = gradients(0, 100.0)
    clipped, norm = clip_by_global_norm(grads, None)
    assert norm == global_norm(grads) == global_norm(clipped)


def test_the_norm_is_that_of_the_sum_of_both_paths():
    """√(‖dE_in + dE_out‖² + …), and not √(‖dE_in‖² + ‖dE_out‖² + …) nor with dE twice."""
    model = RNNLM(7, 4, rng=0)
    x, y = np.array([[1, 1, 2], [0, 3, 1]]), np.array([[1, 2, 6], [3, 1, 1]])
    result = model.loss_and_grads(x, y)
    rest = sum((g**2).sum() for name, g in result.grads.items() if name != "E")
    dE_in, dE_out = result.embedding_paths
    _, norm = clip_by_global_norm(result.grads, 1.0)
    assert norm == pytest.approx(np.sqrt(rest + ((dE_in + dE_out) ** 2).sum()), rel=1e-12)
    apart = np.sqrt(rest + (dE_in**2).sum() + (dE_out**2).sum())
    twice = np.sqrt(rest + 2 * ((dE_in + dE_out) ** 2).sum())
    assert abs(norm - apart) > 1e-3 * norm and abs(norm - twice) > 1e-3 * norm
