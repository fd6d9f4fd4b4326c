"""Learning rates by epoch. Each is a pure function of the epoch and of the validation losses."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Schedule(Protocol):
    def __call__(self, epoch: int, losses: Sequence[float]) -> float:
        """The rate of this epoch, from 0; `losses` are the validation losses of those before."""


class Constant(NamedTuple):
    """η_i = η."""

    rate: float

    def __call__(self, epoch: int, losses: Sequence[float]) -> float:
        return self.rate


class Decay(NamedTuple):
    """η_i = η · factor^max(i − after, 0): constant up to epoch `after`, then smaller each epoch.

    Decay(1.0, after=4) is the schedule of Zaremba et al. 2014 for their small model.
    """

    rate: float
    after: int
    factor: float = 0.5

    def __call__(self, epoch: int, losses: Sequence[float]) -> float:
        return self.rate * self.factor ** max(epoch - self.after, 0)


class OnPlateau(NamedTuple):
    """η is multiplied by `factor` after each epoch whose validation loss was no new best."""

    rate: float
    factor: float = 0.5

    def __call__(self, epoch: int, losses: Sequence[float]) -> float:
        worse = sum(not is_best(losses[: i + 1]) for i in range(len(losses)))
        return self.rate * self.factor**worse


SCHEDULES = ("constant", "decay", "plateau")


def is_best(losses: Sequence[float]) -> bool:
    """Whether the last of these losses is below all before it."""
    return all(losses[-1] < loss for loss in losses[:-1])


def epochs_since_best(losses: Sequence[float]) -> int:
    """How many epochs have passed since the lowest loss; 0 where it is the last one."""
    return len(losses) - 1 - losses.index(min(losses)) if losses else 0
