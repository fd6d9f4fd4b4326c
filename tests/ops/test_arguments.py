"""What the registry draws: points at which a wrong gradient shows."""

import numpy as np
import pytest

from tinytie.ops.arguments import Counted, Ids, Mask, Sizes, Valid

SIZES = Sizes(B=3, T=5, V=9, D=4, H=6)
drawing = pytest.mark.parametrize("seed", range(5))


@drawing
def test_each_row_of_a_mask_drops_something_keeps_something_and_leaves_the_rest_to_chance(seed):
    mask = Mask("B T H").sample(np.random.default_rng(seed), SIZES)
    assert set(np.unique(mask[..., 1:-1])) == {0.0, 2.0}
    assert not mask[..., 0].any() and (mask[..., -1] == 2).all()


@drawing
def test_a_token_stands_twice_inside_the_first_step(seed):
    ids = Ids("B T").sample(np.random.default_rng(seed), SIZES)
    assert ids[0, 0] == ids[1, 0]
    assert len(np.unique(ids)) > 2


@drawing
def test_the_first_target_counts_and_another_does_not(seed):
    counted = Counted("B T").sample(np.random.default_rng(seed), SIZES)
    assert counted[0, 0] and counted.sum() > 1 and not counted.all()


@drawing
def test_words_come_first_in_a_full_row_and_a_padded_one(seed):
    valid = Valid("B T").sample(np.random.default_rng(seed), SIZES)
    assert valid[0].all()
    assert valid[1].tolist() == [True] * 4 + [False]
    assert (np.diff(valid.astype(int), axis=1) <= 0).all() and valid[:, 0].all()
