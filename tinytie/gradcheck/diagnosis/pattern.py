"""Which entries of an array are wrong, in words."""

import numpy as np

MOST = 6  # indices that are listed before the rest is only counted


def pattern_of(wrong: np.ndarray) -> str:
    """ "all", "one entry", "rows 2, 4", "columns 0", or "scattered", from a bool array."""
    if wrong.all():
        return "all of them"
    if wrong.sum() == 1:
        return "one entry"
    touched = [np.unique(indices) for indices in wrong.nonzero()]
    mostly = wrong.sum() > 0.9 * np.prod([len(indices) for indices in touched])
    if wrong.ndim == 1:
        return f"entries {listed(touched[0])}"
    part = [
        f"{word} {listed(indices)}"
        for word, indices, size in zip(names_of(wrong.ndim), touched, wrong.shape, strict=True)
        if len(indices) < size
    ]
    if mostly:
        return " in ".join(part) or "nearly all of them"
    return f"scattered over {part[0]}" if part else "scattered"


def names_of(ndim):
    """What the indices of each axis are called."""
    return ("rows", "columns") if ndim == 2 else [f"axis {axis} at" for axis in range(ndim)]


def listed(indices):
    """1, 2, 5; a long list is cut and counted."""
    shown = ", ".join(str(int(i)) for i in indices[:MOST])
    return shown + (f" and {len(indices) - MOST} more" if len(indices) > MOST else "")
