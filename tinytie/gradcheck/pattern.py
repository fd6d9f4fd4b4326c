"""Which entries of an array are wrong, in words."""

import numpy as np

MOST = 6  # indices that are listed before the rest is only counted


def pattern_of(wrong: np.ndarray) -> str:
    """ "all", "one entry", "rows 2, 4", "columns 0", or "scattered", from a bool array."""
    if wrong.all():
        return "all of them"
    if wrong.sum() == 1:
        return "one entry"
    if wrong.ndim == 1:
        return f"entries {listed(np.flatnonzero(wrong))}"
    flat = wrong.reshape(len(wrong), -1)
    rows, columns = np.flatnonzero(flat.any(axis=1)), np.flatnonzero(flat.any(axis=0))
    return words(flat, rows, columns)


def words(wrong, rows, columns):
    """A block is said by its rows and its columns; whatever has no such shape is scattered."""
    whole_rows, whole_columns = len(rows) == len(wrong), len(columns) == wrong.shape[1]
    mostly = wrong.sum() > 0.9 * len(rows) * len(columns)
    if whole_columns and not whole_rows and mostly:
        return f"rows {listed(rows)}"
    if whole_rows and not whole_columns and mostly:
        return f"columns {listed(columns)}"
    if mostly and not (whole_rows and whole_columns):
        return f"rows {listed(rows)} in columns {listed(columns)}"
    if not whole_rows:
        return f"scattered over rows {listed(rows)}"
    if not whole_columns:
        return f"scattered over columns {listed(columns)}"
    return "nearly all of them" if mostly else "scattered"


def listed(indices):
    """1, 2, 5; a long list is cut and counted."""
    shown = ", ".join(str(int(i)) for i in indices[:MOST])
    return shown + (f" and {len(indices) - MOST} more" if len(indices) > MOST else "")
