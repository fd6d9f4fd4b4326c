"""Which path shapes the embedding? The two gradients of E, measured by word frequency."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tinytie.models.language_model import EmbeddingPaths


class Band(NamedTuple):
    """Words of about the same frequency."""

    name: str
    rows: np.ndarray  # their ids


class PathRow(NamedTuple):
    """One band at one step."""

    step: int
    band: str
    input_norm: float  # of the lookup path's gradient, over the band's rows
    output_norm: float  # of the softmax path's
    cosine: float | None  # between the two; None where a side is zero or the widths differ
    input_touched: float  # the share of the band's rows that the path moves at all
    output_touched: float


def frequency_bands(ids: np.ndarray, vocab_size: int) -> list[Band]:
    """All words, then those of frequency rank 1–10, 11–100, 101–1,000 … in a text of ids (n,)."""
    counts = np.bincount(ids, minlength=vocab_size)
    by_rank = np.argsort(-counts, kind="stable")
    bands, first = [Band("all words", by_rank)], 0
    while first < vocab_size:
        last = min(10 * max(first, 1), vocab_size)
        bands.append(Band(f"rank {first + 1:,}–{last:,}", by_rank[first:last]))
        first = last
    return bands


def path_rows(step: int, paths: EmbeddingPaths, bands: Sequence[Band]) -> list[PathRow]:
    """Norms, cosine and share of rows touched, a row for each band."""
    return [path_row(step, band, *(side[band.rows] for side in paths)) for band in bands]


def path_row(step, band, dE_in, dE_out):
    """The measures of one band, from its rows of both gradients. (n, D) each"""
    input_norm, output_norm = (float(np.linalg.norm(side)) for side in (dE_in, dE_out))
    cosine = None
    if dE_in.shape == dE_out.shape and input_norm > 0 and output_norm > 0:
        cosine = float(np.vdot(dE_in, dE_out)) / (input_norm * output_norm)
    touched = (float(np.any(side != 0, axis=1).mean()) for side in (dE_in, dE_out))
    return PathRow(step, band.name, input_norm, output_norm, cosine, *touched)
