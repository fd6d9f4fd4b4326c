"""A long stream of token ids as batches: B rows side by side, T steps at a time."""

from collections.abc import Iterator

import numpy as np


class Batches:
    """The stream cut into B contiguous rows, and the rows into pieces of T steps.

    Row b continues from one batch to the next, so that the state can be carried. Targets are the
    words after the inputs: y[:, t] = x[:, t + 1]. There are (len(stream) // B − 1) // T batches;
    what does not fill a row or a batch is dropped. Raises ValueError where not one batch is left.

    stream (n,) integer ids; each batch is (x, y), both (B, T).
    """

    def __init__(self, stream: np.ndarray, batch_size: int, steps: int) -> None:
        length = len(stream) // batch_size
        self.rows = stream[: batch_size * length].reshape(batch_size, length)
        self.steps = steps
        if len(self) == 0:
            raise ValueError(
                f"the text has {len(stream)} tokens, too few for one batch of {batch_size} rows "
                f"of {steps} steps, which takes {batch_size * (steps + 1)}; use a longer text, or "
                "a smaller batch or fewer steps"
            )

    def __len__(self) -> int:
        return max(0, self.rows.shape[1] - 1) // self.steps

    def __getitem__(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        if not 0 <= i < len(self):
            raise IndexError(f"batch {i} of {len(self)}")
        start, end = i * self.steps, (i + 1) * self.steps
        return self.rows[:, start:end], self.rows[:, start + 1 : end + 1]

    def shuffle(self, epoch: int) -> None:
        """Nothing: a stream is read in its order in every epoch, so that the state can go on."""

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        return (self[i] for i in range(len(self)))

    @property
    def tokens(self) -> int:
        """How many targets one pass over all batches holds."""
        return len(self) * len(self.rows) * self.steps
