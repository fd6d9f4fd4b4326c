"""What every model of the package shares: parameters by name, options, a dtype, frozen rows."""

import copy
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike

from tinytie.models import inputs
from tinytie.models.initial import uniform_params

EVALUATION_BYTES = 4 * 2**20  # of scores at a time where only the loss is wanted
EVALUATION_ROWS = 64  # but no fewer rows than this, which keeps the product efficient
UNDRAWN = object()  # in place of rng: see `sketch`


class Model(ABC):
    """A dict of arrays and the options that shape it. A subclass sets these attributes."""

    OPTIONS: tuple[str, ...]  # the constructor's arguments, each kept as an attribute
    params: dict[str, np.ndarray]
    frozen: dict[str, Any]  # name -> True, or the row ids that an optimizer leaves alone
    padding_id: int | None
    dtype: np.dtype
    max_score_bytes = 256 * 2**20  # of scores held at once in training; above it, in chunks

    @property
    @abstractmethod
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter, by name."""

    @property
    @abstractmethod
    def embedding_names(self) -> tuple[str, ...]:
        """The names of the token matrices."""

    @property
    def config(self) -> dict[str, Any]:
        """The constructor's arguments that make a model of the same kind, but for rng."""
        return {name: getattr(self, name) for name in self.OPTIONS} | {"dtype": self.dtype.name}

    @property
    @abstractmethod
    def vocab_out(self) -> int:
        """How many words it predicts."""

    @classmethod
    def sketch(cls, *args: Any, **options: Any) -> Self:
        """A model without arrays, `params` empty: to read its `shapes`, or to fill by hand."""
        make: Any = cls
        return make(*args, rng=UNDRAWN, **options)

    def astype(self, dtype: DTypeLike) -> Self:
        """A copy whose arrays, and whose results, have another floating dtype."""
        other = copy.deepcopy(self)
        other.dtype = inputs.floating(dtype)
        other.params = {name: array.astype(other.dtype) for name, array in self.params.items()}
        return other

    def _draw(self, rng, spread):
        """First values. The padding row is zero, and an optimizer leaves it alone in every role."""
        self.params, self.frozen = {}, {}
        if rng is UNDRAWN:
            return
        self.params = uniform_params(self.shapes, inputs.generator(rng), self.dtype, spread)
        if self.padding_id is not None:
            for name in self.embedding_names:
                self.params[name][self.padding_id] = 0
                self.frozen[name] = np.array([self.padding_id])

    def memory_for(self, n_targets: int) -> np.ndarray | None:
        """New memory for `loss_and_grads` of so many targets; None where it works in chunks.

        Lent at every step, it saves a loop the time in which the system makes new memory: a
        twentieth of a step at V = 10,000.
        """
        if n_targets * self._row_bytes() > self.max_score_bytes:
            return None
        return np.empty((n_targets, self.vocab_out), self.dtype)

    def _row_bytes(self):
        return self.vocab_out * self.dtype.itemsize

    def _training_room(self, y, memory):
        """What the head is told: which targets count, and how many rows of scores may be held."""
        counted, chunk = inputs.counted_targets(y, self.padding_id), None
        if y.size * self._row_bytes() > self.max_score_bytes:
            chunk, memory = max(1, self.max_score_bytes // self._row_bytes()), None
        if memory is not None:
            inputs.check_memory(memory, (y.size, self.vocab_out), self.dtype)
        return {"counted": counted, "chunk": chunk, "memory": memory}

    def _evaluation_room(self, y):
        """The same where only the loss is wanted: a few rows of scores at a time."""
        chunk = EVALUATION_BYTES // self._row_bytes()
        counted = inputs.counted_targets(y, self.padding_id)
        return {"counted": counted, "chunk": max(EVALUATION_ROWS, chunk)}
