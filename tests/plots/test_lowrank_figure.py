"""The figure of the low-rank view."""

import numpy as np
import pytest

from tinytie.measure.lowrank import linear_scores_spectrum, similarity_spectrum
from tinytie.plots.lowrank import spectra


def test_the_curves_fall_to_the_zero_line_after_rank_d(tmp_path):
    E = np.random.default_rng(0).standard_normal((50, 6))
    named = {"E Eᵀ": similarity_spectrum(E), "two": linear_scores_spectrum(E[:, :2], E[:, :2])}
    figure = spectra(named)
    (axes,) = figure.axes
    assert figure.get_suptitle() == "50 words, but no more than 6 directions between them"
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["E Eᵀ: rank 6 of 50", "two: rank 2 of 50"]
    for line, rank in zip(axes.lines, (6, 2), strict=False):
        x, y = line.get_data()
        assert len(y) == rank + 2
        assert (y[:rank] > y[rank]).all()
        assert (x[-1], y[0]) == (50, 1)
    figure.savefig(tmp_path / "spectra.png")


def test_a_matrix_of_zeros_is_refused():
    with pytest.raises(ValueError, match="no direction to show"):
        spectra({"nothing": similarity_spectrum(np.zeros((5, 3)))})
