"""The options that every run has, and the trainer that they make. An experiment adds its own."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from tinytie.models.inputs import one_of
from tinytie.training.optimizers import OPTIMIZERS
from tinytie.training.schedules import Decay
from tinytie.training.trainer import Trainable, Trainer


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a model is trained. rate · decay^max(epoch − decay_after, 0), epochs from 0.

    The gradient of all parameters is clipped at norm `max_norm`. Training stops after `epochs`, or
    `patience` epochs after the best validation loss, and keeps the best epoch's parameters, or
    with keep_best=False the last one's.
    """

    width: int = 64  # of the embedding, D
    dropout: float = 0.0
    batch_size: int = 10  # B
    epochs: int = 12
    optimizer: str = "adam"
    rate: float = 2e-3
    decay_after: int | None = None  # None is half of the epochs
    decay: float = 0.7
    max_norm: float | None = 1.0
    patience: int | None = None
    keep_best: bool = True
    seed: int = 0  # draws the weights, and apart from them the dropout masks

    def changed(self, **options: Any) -> Self:
        """A copy with these options changed."""
        return replace(self, **options)

    def asdict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    def trainer(
        self, model: Trainable, batches: Any, valid_loss: Callable[[Any], float], rng: Any
    ) -> Trainer:
        """The trainer of this model on these batches; rng draws dropout masks.

        Raises ValueError on an optimizer that is not in `OPTIMIZERS`.
        """
        optimizer = OPTIMIZERS[one_of("optimizer", self.optimizer, OPTIMIZERS)](self.rate)
        after = self.epochs // 2 if self.decay_after is None else self.decay_after
        return Trainer(
            model, optimizer, Decay(self.rate, after, self.decay), batches, valid_loss,
            epochs=self.epochs, patience=self.patience, max_norm=self.max_norm, rng=rng,
        )  # fmt: skip


def widest(count: Callable[[int], int], budget: int) -> int:
    """The largest n with count(n) <= budget, but at least 1; count grows with n."""
    too_wide = 1
    while count(too_wide) <= budget:
        too_wide *= 2
    return max(1, bisect_right(range(1, too_wide), budget, key=count))
