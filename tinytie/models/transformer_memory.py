"""What a Transformer keeps while it samples: the keys and values of the tokens already read.

Without them each new token would read the whole text again, to the same keys and values.
"""

import numpy as np

from tinytie.models import inputs
from tinytie.ops.attention import KeysValues

Memory = tuple[KeysValues, ...]  # one a block


def empty_memory(batch_size, n_heads, d_model, n_layers, dtype):
    """Keys and values of no place at all."""
    nothing = np.empty((batch_size, n_heads, 0, d_model // n_heads), dtype)
    return (KeysValues(nothing, nothing),) * n_layers


def kept_places(memory):
    """How many tokens it holds."""
    return memory[0].k.shape[2]


def check_memory(memory, empty):
    """The memory, where it has the structure of `empty` and any one number of places."""
    if not isinstance(memory, tuple) or len(memory) != len(empty):
        raise ValueError(
            f"memory must be a tuple with one entry for each of the {len(empty)} blocks, as start "
            f"and step return it; got {inputs.describe(memory)}"
        )
    B, n_heads, _, d_k = empty[0].k.shape
    shape = (B, n_heads, np.shape(memory[0][0])[2], d_k)
    return tuple(
        KeysValues(*(inputs.array_of(f"memory[{i}].{name}", array, shape, empty[0].k.dtype)
                     for name, array in zip(KeysValues._fields, kept, strict=True)))
        for i, kept in enumerate(memory)
    )  # fmt: skip
