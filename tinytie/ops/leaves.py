"""The arrays inside nested tuples: what a state, a set of masks or a gradient of one is made of."""

from typing import Any

import numpy as np


def leaves(name: str, value: Any) -> dict[str, np.ndarray]:
    """Every array by its dotted name: leaves("s", LSTMState(h, c)) -> {"s.h": h, "s.c": c}.

    A part that is None has none.
    """
    if value is None:
        return {}
    if not isinstance(value, tuple):
        return {name: np.asarray(value)}
    keys = getattr(value, "_fields", range(len(value)))
    parts = [leaves(f"{name}.{key}", part) for key, part in zip(keys, value, strict=True)]
    return {key: array for part in parts for key, array in part.items()}


def map_leaves(f, value, *others):
    """f of each leaf, and of the leaves of `others` in its place; returns the same nesting."""
    if not isinstance(value, tuple):
        return f(value, *others)
    parts = [map_leaves(f, *same) for same in zip(value, *others, strict=True)]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
