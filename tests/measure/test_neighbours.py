"""Nearest rows, and the plane of the largest spread."""

import numpy as np

from tinytie.measure.neighbours import neighbours, plane, unit_rows


def test_the_nearest_row_is_the_one_in_the_same_direction_however_long():
    E = np.array([[1.0, 0.0], [0.0, 1.0], [50.0, 1.0], [-1.0, 0.0]])
    found = neighbours(E, 0)
    assert [token for token, _ in found] == [2, 1, 3]
    assert found[0].cosine > 0.999 and found[2].cosine == -1.0


def test_a_word_is_not_its_own_neighbour_and_count_is_kept():
    E = np.random.default_rng(0).standard_normal((9, 3))
    found = neighbours(E, 4, count=3)
    assert len(found) == 3 and 4 not in [token for token, _ in found]


def test_unit_rows_have_length_one_and_zero_stays_zero():
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    assert rows.dtype == np.float64
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, 0.0]])


def test_points_of_a_plane_keep_their_distances_on_it():
    rng = np.random.default_rng(1)
    flat = rng.standard_normal((8, 2)) @ np.linalg.qr(rng.standard_normal((5, 2)))[0].T + 7.0
    before, after = (np.linalg.norm(m[:, None] - m, axis=-1) for m in (flat, plane(flat)))
    np.testing.assert_allclose(after, before, atol=1e-12)


def test_the_first_axis_carries_the_larger_spread_and_the_mean_is_the_origin():
    rows = np.random.default_rng(2).standard_normal((30, 6)) * [1, 9, 1, 3, 1, 1]
    drawn = plane(rows)
    assert drawn[:, 0].var() > drawn[:, 1].var()
    np.testing.assert_allclose(drawn.mean(axis=0), 0, atol=1e-12)


def test_one_column_is_drawn_on_a_line():
    assert plane(np.array([[1.0], [2.0], [4.0]]))[:, 1].tolist() == [0, 0, 0]
