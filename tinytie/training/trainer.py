"""The loop: batches in order, one step each, a look at the validation text after each epoch.

The trainer knows no model: anything with `params`, `frozen` and `loss_and_grads` will do. All that
it must know to go on is in `state()`, so that a run that was stopped and restored ends with the
same bits as one that was not.
"""

import copy
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from tinytie.models.language_model import LossAndGrads
from tinytie.text.batches import Batches
from tinytie.training.clipping import clip_by_global_norm
from tinytie.training.finite import TrainingError, check_arrays, check_number
from tinytie.training.optimizers import Optimizer
from tinytie.training.schedules import Schedule, epochs_since_best, is_best


class Step(NamedTuple):
    """After each step."""

    epoch: int  # from 0
    position: int  # how many of the epoch's batches are done
    share: float  # of the epoch that is done
    loss: float  # running mean over the epoch's tokens so far, nats per token
    norm: float  # of this step's gradient, before clipping
    tokens: int  # of the epoch so far
    seconds: float  # of the epoch so far


class Epoch(NamedTuple):
    """After each epoch."""

    epoch: int
    rate: float
    train_loss: float  # running mean over the epoch, while the parameters moved; nats per token
    valid_loss: float
    seconds: float  # of training, without validation
    tokens: int  # targets of the epoch


class Trainable(Protocol):
    """What the trainer asks of a model."""

    @property
    def params(self) -> dict[str, np.ndarray]:
        """The arrays that it moves, in place."""

    @property
    def frozen(self) -> dict[str, Any]:
        """Those that it leaves alone."""

    def loss_and_grads(
        self,
        x: np.ndarray,
        y: np.ndarray,
        state: Any = None,
        *,
        paths: bool = True,
        rng: Any = None,
        memory: np.ndarray | None = None,
    ) -> LossAndGrads:
        """As of `LanguageModel`."""

    def memory_for(self, n_targets: int) -> np.ndarray | None:
        """As of `LanguageModel`; None where nothing is lent."""


class Trainer:
    """Trains `model` on `batches`, and keeps the parameters of the best epoch.

    model.params is changed in place. valid_loss(model) is called after each epoch and returns nats
    a token. Training ends after `epochs`, or once `patience` epochs in a row were no new best
    (None: never). The state is carried from batch to batch, and is zero at the start of an epoch.
    rng draws the dropout masks: what `np.random.default_rng` takes. max_norm: see
    `clip_by_global_norm`.
    """

    def __init__(
        self, model: Trainable, optimizer: Optimizer, schedule: Schedule, batches: Batches,
        valid_loss: Callable[[Any], float], *, epochs: int, patience: int | None = None,
        max_norm: float | None = None, rng: Any = None,
    ) -> None:  # fmt: skip
        self.model, self.optimizer, self.schedule = model, optimizer, schedule
        self.batches, self.valid_loss = batches, valid_loss
        self.epochs, self.patience, self.max_norm = epochs, patience, max_norm
        self.rng = np.random.default_rng(rng)
        self.position = 0  # the next batch of this epoch
        self.carried: Any = None  # the model's state after the batch before
        self.memory: np.ndarray | None = None  # the scores of each step in turn
        self.nats, self.tokens, self.seconds = 0.0, 0, 0.0  # of this epoch, so far
        self.history: list[Epoch] = []
        self.best: dict[str, np.ndarray] = {}  # the parameters of the epoch with the lowest loss

    @property
    def epoch(self) -> int:
        """How many epochs are done."""
        return len(self.history)

    @property
    def valid_losses(self) -> list[float]:
        """One for each epoch that is done."""
        return [done.valid_loss for done in self.history]

    @property
    def finished(self) -> bool:
        """Whether all epochs are done, or the last `patience` of them were no new best."""
        waited = epochs_since_best(self.valid_losses)
        return self.epoch >= self.epochs or (self.patience is not None and waited >= self.patience)

    def run(self) -> Iterator[Step | Epoch]:
        """Train to the end, one event at a time: a Step after each step, an Epoch after each epoch.

        Between two events everything may be looked at, saved, or left for good. At the end the
        model holds the best epoch's parameters. Raises TrainingError as `step` does.
        """
        while not self.finished:
            self.batches.shuffle(self.epoch)  # so that a restored run has the same order again
            while self.position < len(self.batches):
                yield self.step()
            yield self.end_epoch()
        self.keep_best()

    def step(self) -> Step:
        """One batch: loss, gradients, clipping, one step of every parameter.

        Raises TrainingError, before anything moves, where the loss or a gradient is not finite.
        """
        began = time.perf_counter()
        x, y = self.batches[self.position]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # named right below
            result = self.model.loss_and_grads(
                x, y, self.carried, paths=False, rng=self.rng, memory=self._lent(y.size)
            )
        check_number(result.loss, self._where(1), "the loss")
        grads, norm = clip_by_global_norm(result.grads, self.max_norm, self.model.frozen)
        if not math.isfinite(norm):
            check_arrays(grads, self._where(1), "the gradient of ")
            check_number(norm, self._where(1), "the norm of the gradient")
        self.optimizer.rate = self.schedule(self.epoch, self.valid_losses)
        with np.errstate(over="ignore", invalid="ignore"):  # named at the next step or look
            self.optimizer.step(self.model.params, grads, self.model.frozen)
        self.carried = result.state
        self.position += 1
        self.nats += result.loss * y.size
        self.tokens += y.size
        self.seconds += time.perf_counter() - began
        loss = self.nats / self.tokens
        share = self.position / len(self.batches)
        return Step(self.epoch, self.position, share, loss, norm, self.tokens, self.seconds)

    def _lent(self, n_targets):
        """Memory for the scores of a step, kept for the next ones of as many targets."""
        if self.memory is None or len(self.memory) != n_targets:
            self.memory = self.model.memory_for(n_targets)
        return self.memory

    def end_epoch(self) -> Epoch:
        """Validate, keep the parameters if they are the best so far, and go back to the start.

        Raises TrainingError where a parameter or the validation loss is not finite.
        """
        check_arrays(self.model.params, self._where(), "parameter ")
        with np.errstate(over="ignore", invalid="ignore"):  # named right below
            valid_loss = self.valid_loss(self.model)
        if not math.isfinite(valid_loss):
            raise TrainingError(f"the validation loss after epoch {self.epoch + 1} is {valid_loss}")
        train_loss = self.nats / self.tokens
        done = Epoch(
            self.epoch, self.optimizer.rate, train_loss, valid_loss, self.seconds, self.tokens
        )  # fmt: skip
        self.history.append(done)
        if is_best(self.valid_losses):
            self.best = copies(self.model.params)
        self.position, self.carried = 0, None
        self.nats, self.tokens, self.seconds = 0.0, 0, 0.0
        return done

    def keep_best(self) -> None:
        """Put the best epoch's parameters into the model, in place."""
        for name, array in self.best.items():
            self.model.params[name][...] = array

    def _where(self, ahead=0):
        """The last step, or the one ahead."""
        return f"epoch {self.epoch + 1}, step {self.position + ahead} of {len(self.batches)}"

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, but for the data: arrays, JSON values, and nestings of them.

        Everything is a copy, so that training on does not change it. Raises TrainingError where a
        parameter, or what the optimizer keeps, is not finite, so that no such state is ever saved.
        """
        check_arrays(self.model.params, self._where(), "parameter ")
        optimizer = self.optimizer.state()
        for kept, arrays in optimizer.items():
            if isinstance(arrays, dict):
                check_arrays(arrays, self._where(), f"the optimizer's {kept} of ")
        return copy.deepcopy({
            "params": self.model.params,
            "optimizer": optimizer,
            "rate": self.optimizer.rate,
            "rng": self.rng.bit_generator.state,
            "position": self.position,
            "carried": self.carried,
            "running": [self.nats, self.tokens, self.seconds],
            "history": [list(done) for done in self.history],
            "best": self.best,
        })  # fmt: skip

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state()`; the model, the data and the options must be those it came from."""
        state = copy.deepcopy(state)
        for name, array in state["params"].items():
            self.model.params[name][...] = array
        self.optimizer.restore(state["optimizer"])
        self.optimizer.rate = state["rate"]
        self.rng = generator_from(state["rng"])
        self.position, self.carried = state["position"], state["carried"]
        self.nats, self.tokens, self.seconds = state["running"]
        self.history = [Epoch(*done) for done in state["history"]]
        self.best = state["best"]


def generator_from(state):
    """A generator that goes on where the one with this state stood."""
    bits = getattr(np.random, state["bit_generator"])()
    bits.state = state
    return np.random.Generator(bits)


def copies(params):
    """The same arrays, once more."""
    return {name: array.copy() for name, array in params.items()}
