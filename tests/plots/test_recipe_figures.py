"""The figures of the recipes say what they show."""

import numpy as np

from tinytie.plots.paths import paths_over_time
from tinytie.plots.similarity import word_maps
from tinytie.plots.spans import spans_over_beta


def row(step, band, input_norm, output_norm, cosine):
    return {
        "step": step, "band": band, "input_norm": input_norm, "output_norm": output_norm,
        "cosine": cosine, "input_touched": 0.25, "output_touched": 1.0,
    }  # fmt: skip


def test_both_paths_are_drawn_for_every_band(tmp_path):
    rows = [row(0, "all words", 1.0, 4.0, 0.1), row(0, "rank 1–10", 0.0, 2.0, None),
            row(9, "all words", 2.0, 6.0, 0.2), row(9, "rank 1–10", 1.0, 2.0, 0.5)]  # fmt: skip
    figure = paths_over_time(rows)
    whole, frequent = figure.axes
    assert whole.get_ylabel() and all(axes.get_xlabel() == "training step" for axes in figure.axes)
    assert [line.get_ydata().tolist() for line in whole.lines] == [[4.0, 6.0], [1.0, 2.0]]
    assert np.isnan(frequent.lines[1].get_ydata()[0])  # a gradient of zero has no logarithm
    assert frequent.get_title() == "rank 1–10\ncosine 0.50, looked up 25%"
    assert "4 at first, 3 at the end" in figure.get_suptitle()
    figure.savefig(tmp_path / "paths.png")


def test_a_lookup_path_that_is_always_zero_can_be_drawn(tmp_path):
    figure = paths_over_time([row(step, "all words", 0.0, 1.0, None) for step in (0, 5)])
    assert figure.get_suptitle() == "Both paths of the embedding over training"
    figure.savefig(tmp_path / "paths.png")


def test_the_figure_of_the_spans_names_both_ends():
    found = [{"beta": b, "distance": d, "residual": d / 2} for b, d in ((0, 0.97), (1, 0.6))]
    figure = spans_over_beta(found, chance=0.98)
    (axes,) = figure.axes
    assert "from 0.97 to 0.60" in figure.get_suptitle()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1"]
    assert axes.get_xlabel() and axes.get_ylabel()


def test_a_map_has_one_panel_for_each_matrix():
    figure = word_maps({"E_in": np.eye(3)[:, :2], "E_out": -np.eye(3)[:, :2]}, ["a", "b", "c"])
    assert [axes.get_title() for axes in figure.axes] == ["E_in", "E_out"]
    assert [text.get_text() for text in figure.axes[1].texts] == ["a", "b", "c"]


def test_a_word_that_would_cover_another_is_a_dot_alone():
    points = np.array([[0.0, 0.0], [0.001, 0.0], [1.0, 1.0]])
    (panel,) = word_maps({"E": points}, ["first", "beside", "far"]).axes
    assert [text.get_text() for text in panel.texts] == ["first", "far"]
    assert len(panel.collections[0].get_offsets()) == 3
