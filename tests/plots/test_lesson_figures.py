"""The lessons' figures: 800 pixels wide, one message on top, every axis labelled."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tinytie.plots import lessons

WORDS = ["the", "cat", "sat"]
E = np.array([[1.0, -2.0], [0.5, 0.0], [3.0, 4.0]])
STEPS = np.array([1e-3, 1e-2, 1e-1])

FIGURES = {
    "jobs": lessons.one_matrix_two_jobs(E, WORDS, np.array([[0, 2]]), np.array([1.0, -1.0, 2.0])),
    "lookup": lessons.lookup_gradient(np.abs(E), np.abs(E) / 2, WORDS),
    "paths": lessons.two_paths(E, -2 * E, WORDS),
    "softmax": lessons.softmax_gradient(E[:, 0], WORDS, "cat", STEPS, 10 * STEPS),
    "errors": lessons.difference_errors(STEPS, {str(i): [1e-9, 0.0, 1e-3] for i in range(5)}),
    "total": lessons.total_and_partials(E, {"dE_in": E / 2, "dE_out": E / 3, "dE": E}),
    "time": lessons.gradient_by_step({"with": STEPS, "without": STEPS / 2}),
    "parameters": lessons.errors_by_parameter({"W": 1e-10, "c": 0.0}, {"W": 0.5, "c": 0.0}),
    "training": lessons.training_curves(
        dict.fromkeys("abc", np.full((2, 5, 2), 40.0) + np.arange(5)[:, np.newaxis]), 30.0
    ),
    "frequency": lessons.paths_by_frequency(dict.fromkeys("abc", np.full((5, 3), 0.5))),
    "rows": lessons.maps_of_rows({"E": E, "E_in": -E}, np.array([0, 0, 1]), ["b", "d"]),
    "share": lessons.share_of_structure((0, 1), dict.fromkeys("ab", np.full((2, 3), 25.0)), 20.0),
    "cell": lessons.cell_and_what_it_keeps(),
    "forms": lessons.asked_again({name: [1.0, 2.0] for name in "abcd"}),
    "tyings": lessons.three_tyings(
        {"none": (50_000, [2.0, 3.0], [5.0, 6.0]), "three-way": (20_000, [1.0], [6.0])}
    ),
    "gates": lessons.gradient_of_cells({"simple": STEPS, "GRU": STEPS / 2}),
    "widths": lessons.perplexity_by_width(
        [2, 4], {"tied": [(10, 9.0), (20, 5.0)], "untied": [(20, 6.0), (30, 4.0)]}, 3.0
    ),
    "transformer": lessons.where_attention_looks(
        np.tril(np.full((8, 8), 0.3)), {"E": 4, "pos": 2, "norms": 1}
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_its_message_and_labels_its_axes(name):
    figure = FIGURES[name]
    assert (figure.get_size_inches() * figure.dpi).tolist() == [800, 450]
    assert len(figure.get_suptitle()) > 20
    drawn = [axes for axes in figure.axes if axes.axison and axes.get_label() != "<colorbar>"]
    for axes in drawn:
        assert axes.get_xlabel() or axes.get_xticklabels()
    if drawn:
        assert drawn[0].get_ylabel() or drawn[0].get_yticklabels()


def test_the_lost_place_is_framed_in_both_matrices():
    wrong = np.abs(E).copy()
    wrong[2] = 0
    figure = lessons.lookup_gradient(np.abs(E), wrong, WORDS)
    for axes in figure.axes[:2]:
        assert {patch.get_y() for patch in axes.patches} == {1.56}


def test_an_entry_that_is_0_stays_white_and_says_so():
    figure = lessons.two_paths(E, -2 * E, WORDS)
    axes = figure.axes[0]
    assert axes.images[0].get_array().mask.tolist() == (E == 0).tolist()
    assert "0" in [text.get_text() for text in axes.texts]


def test_a_figure_is_saved_beside_the_lesson_or_where_a_notebook_runs(tmp_path, monkeypatch):
    figure = FIGURES["cell"]
    lesson = tmp_path / "lessons" / "07_a.py"
    lesson.parent.mkdir()
    assert lessons.save_figure(figure, "07_a", str(lesson)) == "figures/07_a.png"
    assert (tmp_path / "lessons" / "figures" / "07_a.png").is_file()
    monkeypatch.chdir(tmp_path)
    lessons.save_figure(figure, "07_a", None)
    assert (tmp_path / "figures" / "07_a.png").is_file()


def test_a_notebook_shows_the_figure_that_it_saved(tmp_path, monkeypatch):
    shown = []
    display = SimpleNamespace(Image=lambda **given: given, display=shown.append)
    IPython = SimpleNamespace(get_ipython=object, display=display)
    monkeypatch.setitem(sys.modules, "IPython", IPython)
    monkeypatch.chdir(tmp_path)
    lessons.save_figure(FIGURES["cell"], "07_a", None)
    (image,) = shown
    assert image["filename"].is_file()
