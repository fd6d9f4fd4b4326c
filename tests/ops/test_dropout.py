"""The mask of dropout: which entries, how many, and their scale."""

from types import SimpleNamespace

import numpy as np
import pytest

from tinytie.ops.dropout import dropout_mask


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_a_mask_drops_its_share_and_scales_the_rest_to_keep_the_mean(p):
    mask = dropout_mask(np.random.default_rng(0), (200, 500), p, np.float64)
    assert set(np.unique(mask)) == {0.0, 1 / (1 - p)}
    assert abs((mask == 0).mean() - p) < 0.01
    assert abs(mask.mean() - 1) < 0.02


def test_a_mask_has_the_dtype_asked_for_and_follows_from_the_seed():
    one, same, other = (
        dropout_mask(np.random.default_rng(seed), (4, 6), 0.5, np.float32) for seed in (1, 1, 2)
    )
    assert one.dtype == np.float32
    assert (one == same).all() and (one != other).any()


def test_nothing_is_dropped_at_p_zero():
    lowest = SimpleNamespace(random=np.zeros)  # 0 is the one number that a generator can reach
    for rng in (np.random.default_rng(0), lowest):
        assert (dropout_mask(rng, (3, 4), 0.0, np.float64) == 1).all()
