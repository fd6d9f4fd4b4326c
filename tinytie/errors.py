"""The package's own error. Every other refusal is a plain ValueError, TypeError or OSError."""

import reprlib

SHORT = reprlib.Repr()
SHORT.maxstring = 100


def quoted(value):
    """A few characters of something foreign, with control characters escaped."""
    return SHORT.repr(value)


class CheckpointError(ValueError):
    """A checkpoint that cannot be read, or a model that cannot be written, and why.

    path is the file, tensor the name of the array that is wrong (None where it is not one array),
    reason the rest of the sentence.
    """

    def __init__(self, reason: str, tensor: str | None = None, path: str | None = None) -> None:
        super().__init__(reason, tensor, path)
        self.reason = reason
        self.tensor = tensor
        self.path = path

    def __str__(self) -> str:
        path = self.path if self.path is None or self.path.isprintable() else quoted(self.path)
        tensor = None if self.tensor is None else f"tensor {quoted(self.tensor)}"
        return ": ".join(part for part in (path, tensor, self.reason) if part is not None)
