"""Row and column spaces of bigrams: equal where the text is its own reverse, else by chance."""

import numpy as np
import pytest

from tinytie.measure.sides import ppmi, sides


def test_ppmi_by_hand():
    """In 0 1 0 1 0 2 the pairs are 01 10 01 10 02: P(0, 1) = 2/5, P(0) = 3/5, P(1) = 2/5."""
    found = ppmi(np.array([0, 1, 0, 1, 0, 2]), 3)
    expected = np.log([[1, (2 / 5) / (3 / 5 * 2 / 5), 5 / 3], [5 / 2, 1, 1], [1, 1, 1]])
    expected[1, 0] = np.log((2 / 5) / (2 / 5 * 2 / 5))
    np.testing.assert_allclose(found, expected)


def test_a_text_read_both_ways_has_equal_sides():
    ids = np.random.default_rng(0).integers(30, size=900)
    assert sides(np.concatenate([ids, ids[::-1]])).overlap == pytest.approx(1)


def test_words_drawn_at_random_have_sides_as_far_apart_as_chance():
    ids = np.random.default_rng(0).integers(200, size=20_000)
    found = sides(ids)
    assert found.k == 16 and found.chance == 0.08
    assert abs(found.beyond_chance) < 0.1


def test_reading_backwards_changes_nothing():
    ids = np.random.default_rng(1).integers(40, size=900)
    assert sides(ids).overlap == pytest.approx(sides(ids[::-1]).overlap)


def test_a_poor_text_is_refused():
    with pytest.raises(ValueError, match="eight"):
        sides(np.arange(7))
