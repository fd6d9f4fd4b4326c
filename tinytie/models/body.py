"""The body of a language model: from the vectors looked up to the vectors that meet the scores."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tinytie.models import inputs
from tinytie.models.masks import no_masks


class Body(ABC):
    """A forward and a backward from vectors to vectors, and what they need: shapes, drops, a state.

    It holds no arrays: each call reads its parameters, by name, from the model's.
    """

    d_in: int  # the width of e
    d_out: int  # the width of o
    drops: Any  # where dropout acts: nested tuples of `Drop`
    context: int | None = None  # how many vectors o_t depends on; None where there is no bound

    @property
    @abstractmethod
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter, by name."""

    @abstractmethod
    def forward(
        self, e: np.ndarray, params: dict[str, np.ndarray], state: Any, masks: Any
    ) -> tuple[np.ndarray, Any, Any]:
        """e (B, T, d_in) -> o (B, T, d_out), the state after the last step, and the cache."""

    @abstractmethod
    def backward(self, do: np.ndarray, cache: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The forward's lines in reverse: de (B, T, d_in), and the gradients by name.

        What the state hands on to a later call is detached: nothing comes back through it.
        """

    @abstractmethod
    def initial_state(self, batch_size: int, dtype: np.dtype) -> Any:
        """Nested tuples of zeros (B, …), or None where nothing is carried from call to call."""

    def checked_state(self, state: Any, batch_size: int, dtype: np.dtype) -> Any:
        """A copy of the given state, of the kind and shapes of the initial one; zeros for None."""
        zeros = self.initial_state(batch_size, dtype)
        return zeros if state is None else copy_like("state", state, zeros)

    def start(self, batch_size: int, dtype: np.dtype) -> Any:
        """The first memory of `step`: here the state."""
        return self.initial_state(batch_size, dtype)

    def step(
        self, e: np.ndarray, params: dict[str, np.ndarray], memory: Any
    ) -> tuple[np.ndarray, Any]:
        """One more vector, (B, 1, d_in): o (B, 1, d_out), and the memory after it."""
        memory = self.checked_state(memory, len(e), e.dtype)
        o, memory, _ = self.forward(e, params, memory, no_masks(self.drops))
        return o, memory


def copy_like(name, given, zeros):
    """A fresh copy of nested tuples of arrays, checked against others of the same shapes."""
    if not isinstance(zeros, tuple):
        return inputs.array_of(name, given, zeros.shape, zeros.dtype)
    kind = type(zeros)
    parts = getattr(kind, "_fields", range(len(zeros)))
    if not isinstance(given, tuple | list) or len(given) != len(zeros):
        wanted = f"{kind.__name__}({', '.join(map(str, parts))})"
        if kind is tuple:
            wanted = f"a tuple with one entry for each of the {len(zeros)} layers"
        raise ValueError(
            f"{name} must be {wanted}, as initial_state returns it; got {inputs.describe(given)}"
        )
    named = [f"{name}[{part}]" if kind is tuple else f"{name}.{part}" for part in parts]
    copies = map(copy_like, named, given, zeros)
    return tuple(copies) if kind is tuple else kind(*copies)
