"""What passes the head is what a product with E leaves of the scores' gradient."""

import numpy as np
import pytest

from tinytie.measure.bottleneck import share_that_passes

RNG = np.random.default_rng(0)
S, Y = RNG.standard_normal((6, 40)), RNG.integers(40, size=6)


def test_all_passes_a_square_matrix_and_about_its_share_a_narrow_one():
    assert share_that_passes(S, Y, RNG.standard_normal((40, 40))) == pytest.approx(1)
    shares = [share_that_passes(S, Y, RNG.standard_normal((40, 4))) for _ in range(200)]
    assert np.mean(shares) == pytest.approx(0.1, abs=0.02)


def test_a_direction_that_e_has_passes_whole():
    y_hat = np.exp(S[0]) / np.exp(S[0]).sum()
    ds = y_hat - np.eye(40)[Y[0]]
    assert share_that_passes(S[:1], Y[:1], ds[:, np.newaxis]) == pytest.approx(1)
    across = RNG.standard_normal((40, 1))
    across -= np.outer(ds, ds @ across) / (ds @ ds)
    assert share_that_passes(S[:1], Y[:1], across) == pytest.approx(0, abs=1e-12)
