"""Another vocabulary size: rows and biases added or dropped at the end, and the tie kept."""

from typing import Any

import numpy as np

from tinytie.models.language_model import LanguageModel


def resize_vocabulary(model: LanguageModel, new_size: int, *, rng: Any = None) -> LanguageModel:
    """A copy with `new_size` words: the first rows stay, the last are new or gone.

    New rows are drawn from `rng` as at construction; the output bias gets zeros. A tied model
    stays tied. What is frozen stays frozen; new rows are free. Raises ValueError on a size below
    2, or one that drops the padding row.
    """
    kind: Any = type(model)
    other = kind(**(model.config | {"vocab_size": new_size}), rng=rng)
    for name, new in other.params.items():
        old = model.params[name]
        kept = min(len(old), len(new))
        new[:kept] = old[:kept]
    other.frozen = {
        name: resized_frozen(rows, len(model.params[name]), len(other.params[name]))
        for name, rows in model.frozen.items()
    }
    return other


def resized_frozen(rows, old, new):
    """An entry of `frozen` for an array that had `old` rows and now has `new`."""
    if rows is True:
        return True if new <= old else np.arange(old)
    rows = np.asarray(rows, np.intp)
    return rows[rows < new]
