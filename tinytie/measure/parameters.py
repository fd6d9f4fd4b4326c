"""Counting parameters: how many are token matrices, and what tying saves."""

import copy
import math
from collections.abc import Iterable
from typing import Any

from tinytie.models.inputs import a_model

Shapes = dict[str, tuple[int, ...]]


def count_parameters(model: Any) -> dict[str, int]:
    """Numbers in a model, each array counted once.

    embedding: in the token matrices, whichever of E, E_in and E_out there are; positions are not
    among them. other: in all the rest. total: both. without_tying: what the same model with a
    token matrix of its own for each use would hold. savings: the difference, 0 where untied.
    A `sketch` is counted by its shapes. Raises TypeError on what is no model.
    """
    a_model(model, "params", "embedding_names")
    shapes = {name: array.shape for name, array in model.params.items()} or model.shapes
    return count_shapes(shapes, model.embedding_names, untied_shapes(model))


def count_shapes(shapes: Shapes, token_matrices: Iterable[str], untied: Shapes) -> dict[str, int]:
    """The same from shapes alone, those of the model and those of its untied twin."""
    embedding = numbers({name: shapes[name] for name in token_matrices})
    total, without_tying = numbers(shapes), numbers(untied)
    return {
        "embedding": embedding,
        "other": total - embedding,
        "total": total,
        "without_tying": without_tying,
        "savings": without_tying - total,
    }


def numbers(shapes: Shapes) -> int:
    """How many numbers arrays of these shapes hold."""
    return sum(math.prod(shape) for shape in shapes.values())


def untied_shapes(model: Any) -> Shapes:
    """The shapes of the model that `untie_weights` would make, without its arrays."""
    twin = copy.copy(model)
    if hasattr(twin, "tying"):  # a translator has three uses to tie
        twin.tying = "none"
    else:
        twin.tied = False
    return twin.shapes
