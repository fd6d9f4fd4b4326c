"""The figures of the translation task say what their axes are."""

import numpy as np

from tinytie.plots.translate import attention_figure, translation_curves


def test_each_tying_has_its_curve():
    curves = {"none": [9.0, 5.0, 3.0], "decoder": [8.0, 4.0], "three-way": [7.0, 3.0]}
    figure = translation_curves(curves, "a title")
    ax = figure.axes[0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(curves)
    assert (ax.get_xlabel(), figure.get_suptitle()) == ("epoch", "a title")
    assert "perplexity" in ax.get_ylabel()
    thick = [line for line in ax.get_lines() if line.get_label() in curves]
    assert [line.get_ydata().tolist() for line in thick] == list(curves.values())
    assert len({(line.get_color(), line.get_marker()) for line in thick}) == 3


def test_rows_are_written_and_columns_are_read():
    weights = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]])
    figure = attention_figure(weights, ["a", "b", "<eos>"], ["x", "<eos>"], "a title")
    ax = figure.axes[0]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "<eos>"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "<eos>"]
    assert np.array_equal(ax.get_images()[0].get_array(), weights)
    assert "read" in ax.get_xlabel()
    assert "written" in ax.get_ylabel()
