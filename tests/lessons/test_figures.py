"""The lessons' figures: 1600 pixels wide, one message on top, every axis labelled."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tinytie.course.shelf import lessons_folder

sys.path.insert(0, str(lessons_folder()))  # as a lesson finds them, from its own folder

import figures as lessons
from figures import common

WORDS = ["the", "cat", "sat"]
E = np.array([[1.0, -2.0], [0.5, 0.0], [3.0, 4.0]])
STEPS = np.array([1e-3, 1e-2, 1e-1])

FIGURES = {
    "jobs": lessons.one_matrix_two_jobs(E, WORDS, np.array([[0, 2]]), np.array([1.0, -1.0, 2.0])),
    "lookup": lessons.lookup_gradient(np.abs(E), np.abs(E) / 2, WORDS),
    "paths": lessons.two_paths(E, -2 * E, WORDS),
    "softmax": lessons.softmax_gradient(np.array([0.5, 0.2, 0.3]), WORDS, "cat"),
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
    "transformer": lessons.where_attention_looks(np.tril(np.full((8, 8), 0.3))),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_its_message_and_labels_its_axes(name):
    figure = FIGURES[name]
    assert (figure.get_size_inches() * figure.dpi).tolist() == [1600, 900]
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


def test_data_with_a_sign_has_its_zero_in_the_middle_of_the_scale():
    for axes in lessons.two_paths(E, -2 * E, WORDS).axes[:3]:
        assert axes.images[0].get_clim() == (-8, 8)
    assert "0" in [text.get_text() for text in axes.texts]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder of lessons of our own, and another one to work in."""
    (tmp_path / "lessons").mkdir()
    monkeypatch.setattr(common, "LESSONS", tmp_path / "lessons")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_figure_is_saved_beside_the_lessons_in_two_formats(elsewhere):
    assert lessons.save_figure(FIGURES["cell"], "07_a") == "pictures/07_a.png"
    saved = sorted(path.name for path in (elsewhere / "lessons" / "pictures").iterdir())
    assert saved == ["07_a.png", "07_a.svg"]


def test_where_nobody_may_write_beside_the_lessons_it_goes_where_one_works(elsewhere, monkeypatch):
    monkeypatch.setattr(common.os, "access", lambda *_: False)
    lessons.save_figure(FIGURES["cell"], "07_a")
    assert (elsewhere / "pictures" / "07_a.png").is_file()


def test_a_notebook_shows_the_figure_that_it_saved(elsewhere, monkeypatch):
    shown = []
    display = SimpleNamespace(Image=lambda **given: given, display=shown.append)
    IPython = SimpleNamespace(get_ipython=object, display=display)
    monkeypatch.setitem(sys.modules, "IPython", IPython)
    lessons.save_figure(FIGURES["cell"], "07_a")
    (image,) = shown
    assert image["filename"].is_file()
