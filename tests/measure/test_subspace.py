"""Distances between spans, against planes whose angles are known."""

import numpy as np
import pytest

from tinytie.measure.subspace import (
    chance_distance,
    principal_angles,
    projection_residual,
    subspace_distance,
)


def test_a_plane_turned_by_a_known_angle():
    angle = 0.3
    A = np.eye(4)[:, :2]
    B = np.array([[1, 0], [0, np.cos(angle)], [0, np.sin(angle)], [0, 0]])
    np.testing.assert_allclose(principal_angles(A, B), [0, angle], atol=1e-7)
    assert subspace_distance(A, B) == pytest.approx(np.sqrt(np.sin(angle) ** 2 / 2))
    assert projection_residual(A, B) == pytest.approx(np.sqrt(np.sin(angle) ** 2 / 2))


def test_a_mixture_of_the_same_columns_is_the_same_space():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((9, 3))
    B = (A @ rng.standard_normal((3, 3))).astype(np.float32)
    assert subspace_distance(A, B) < 1e-3
    assert projection_residual(A, B) < 1e-6


def test_orthogonal_spaces_are_at_distance_one():
    A, B = np.eye(6)[:, :2], np.eye(6)[:, 2:5]
    assert subspace_distance(A, B) == pytest.approx(1)
    assert projection_residual(A, B) == pytest.approx(1)


def test_a_space_inside_a_wider_one_is_at_distance_zero():
    A = np.random.default_rng(1).standard_normal((8, 5))
    assert subspace_distance(A, A[:, :2]) < 1e-7
    assert projection_residual(A[:, :2], A) > 0.1


def test_the_residual_is_that_of_the_best_least_squares_fit():
    rng = np.random.default_rng(2)
    A, B = rng.standard_normal((9, 3)), rng.standard_normal((9, 4))
    S = np.linalg.lstsq(A, B)[0]
    expected = np.linalg.norm(B - A @ S) / np.linalg.norm(B)
    assert projection_residual(A, B) == pytest.approx(expected)


def test_random_spaces_lie_at_the_distance_of_chance():
    rng = np.random.default_rng(3)
    drawn = [
        subspace_distance(rng.standard_normal((40, 8)), rng.standard_normal((40, 6)))
        for _ in range(50)
    ]
    assert np.sqrt(np.mean(np.square(drawn))) == pytest.approx(chance_distance(40, 8, 6), rel=0.02)
