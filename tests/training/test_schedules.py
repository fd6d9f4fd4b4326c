"""Learning rates by epoch."""

import pytest

from tinytie.training.schedules import (
    Constant,
    Decay,
    OnPlateau,
    epochs_since_best,
    is_best,
)


def test_a_constant_rate_stays():
    assert [Constant(0.5)(i, [9.0] * i) for i in range(3)] == [0.5] * 3


def test_five_epochs_at_one_then_halved_each_epoch():
    rates = [Decay(1.0, after=4)(i, []) for i in range(13)]
    assert rates == [1.0] * 5 + [0.5**k for k in range(1, 9)]


def test_a_plateau_lowers_the_rate_once_for_each_epoch_without_a_new_best():
    losses = [5.0, 4.0, 4.0, 4.5, 3.0]
    rates = [OnPlateau(1.0)(i, losses[:i]) for i in range(6)]
    assert rates == [1.0, 1.0, 1.0, 0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    ("losses", "since", "best"),
    [([3.0], 0, True), ([3.0, 2.0], 0, True), ([3.0, 3.0], 1, False), ([2.0, 3.0, 2.5], 2, False)],
)
def test_only_a_lower_loss_is_a_new_best(losses, since, best):
    assert epochs_since_best(losses) == since
    assert is_best(losses) == best
