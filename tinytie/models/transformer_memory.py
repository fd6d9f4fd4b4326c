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
    """The memory, where it has the structure of `empty`, with any one number of places."""
    if not fits(memory, empty):
        B, n_heads, _, d_k = empty[0].k.shape
        raise ValueError(
            f"memory must be what start({B}) or the step before returned: keys and values of "
            f"shape ({B}, {n_heads}, places, {d_k}) and dtype {empty[0].k.dtype} for each of the "
            f"{len(empty)} blocks; got {inputs.describe(memory)}"
        )
    return memory


def fits(memory, empty):
    """Whether two memories differ in nothing but their places."""
    if not isinstance(memory, tuple) or len(memory) != len(empty):
        return False
    if not all(isinstance(kept, KeysValues) for kept in memory):
        return False
    B, n_heads, _, d_k = empty[0].k.shape
    shape = (B, n_heads, kept_places(memory), d_k)
    arrays = [array for kept in memory for array in kept]
    return all(array.shape == shape and array.dtype == empty[0].k.dtype for array in arrays)
