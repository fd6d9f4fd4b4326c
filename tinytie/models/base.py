"""What every model of the package shares: parameters by name, options, a dtype, frozen rows."""

import copy
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike

from tinytie.models import inputs

EVALUATION_BYTES = 4 * 2**20  # of scores at a time where only the loss is wanted
EVALUATION_ROWS = 64  # but no fewer rows than this, which keeps the product efficient


class Model(ABC):
    """A dict of arrays and the options that shape it. A subclass sets these attributes."""

    OPTIONS: tuple[str, ...]  # the constructor's arguments, each kept as an attribute
    params: dict[str, np.ndarray]
    frozen: dict[str, Any]  # name -> True, or the row ids that an optimizer leaves alone
    padding_id: int | None
    dtype: np.dtype
    max_score_bytes = 256 * 2**20  # of scores held at once in training; above it, in chunks
    _spare: np.ndarray | None  # the scores of the last step, memory for those of the next

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

    def astype(self, dtype: DTypeLike) -> Self:
        """A copy whose arrays, and whose results, have another floating dtype."""
        other = copy.deepcopy(self)
        other.dtype = inputs.floating(dtype)
        other.params = {name: array.astype(other.dtype) for name, array in self.params.items()}
        return other

    def _freeze_padding(self):
        """The padding row: zero to begin with, and left alone by an optimizer in every role."""
        if self.padding_id is not None:
            for name in self.embedding_names:
                self.params[name][self.padding_id] = 0
                self.frozen[name] = np.array([self.padding_id])

    def __getstate__(self):
        """What a copy or a pickle holds: everything but spare memory."""
        return {name: value for name, value in vars(self).items() if name != "_spare"}

    def _take_spare(self, n_targets, vocab_size):
        """The memory of the last step's scores, or None where it does not fit.

        With two LSTM layers at V = 10,000 a step takes 1.2 times as long where the system must
        give new memory each time. It is taken away, not lent: two threads never share it.
        """
        spare = vars(self).pop("_spare", None)
        fits = spare is not None and spare.shape == (n_targets, vocab_size)
        return spare if fits and spare.dtype == self.dtype else None

    def _evaluation_chunk(self, vocab_size):
        """Rows of scores at a time where only the loss is wanted."""
        return max(EVALUATION_ROWS, EVALUATION_BYTES // (vocab_size * self.dtype.itemsize))

    def _training_chunk(self, n_targets, vocab_size):
        """None where all scores fit below `max_score_bytes`, otherwise the rows that do."""
        row_bytes = vocab_size * self.dtype.itemsize
        if n_targets * row_bytes <= self.max_score_bytes:
            return None
        return max(1, self.max_score_bytes // row_bytes)
