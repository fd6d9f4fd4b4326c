"""Figures of a matrix whose rows are words: lessons 01, 02 and 04."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tinytie.plots.style import BLACK, LOOKUP, SCORES, heat_map, house_style, new_figure


@house_style
def one_matrix_two_jobs(E: np.ndarray, words: list[str], x: np.ndarray, s: np.ndarray) -> Figure:
    """E (V, D) with the rows looked up by x framed, beside the score s (V,) of every row."""
    title = "One matrix, two jobs: a lookup reads some rows, the scores use all"
    figure, (left, right) = new_figure(title, 2)
    matrix(left, E, words, "E[x]: the framed rows are read", np.abs(E).max())
    for row in np.unique(x):
        frame_row(left, row, E.shape[1], LOOKUP)
    right.barh(range(len(words)), s, color=SCORES, height=0.7)
    right.set_yticks(range(len(words)), words)
    right.set_ylim(len(words) - 0.5, -0.5)
    right.axvline(0, color=BLACK, linewidth=2)
    right.set_title("E h: every row meets h")
    right.locator_params(axis="x", nbins=5)
    right.set_xlabel("score (row · h, no unit)")
    return figure


@house_style
def lookup_gradient(right_dE: np.ndarray, wrong_dE: np.ndarray, words: list[str]) -> Figure:
    """The gradient of a lookup beside what `dE[x] += de` leaves; the rows that differ framed."""
    figure, axes = new_figure("A word that occurs twice collects both places", 2, sharey=True)
    limit = np.abs(right_dE).max()
    matrix(axes[0], right_dE, words, "every place collected", limit)
    image = matrix(axes[1], wrong_dE, words, "dE[x] += de: one place lost", limit)
    for row in np.flatnonzero((right_dE != wrong_dE).any(axis=1)):
        for ax in axes:
            frame_row(ax, row, right_dE.shape[1], LOOKUP)
    figure.colorbar(image, ax=list(axes), label="gradient (loss per unit of E)")
    return figure


@house_style
def two_paths(dE_in: np.ndarray, dE_out: np.ndarray, words: list[str]) -> Figure:
    """Both paths of a tied E, and their sum."""
    title = "Two paths into one matrix: a sparse one, a dense one, and their sum"
    figure, axes = new_figure(title, 3, sharey=True)
    dE = dE_in + dE_out
    limit = max(np.abs(part).max() for part in (dE_in, dE_out, dE))
    parts = ((dE_in, "dE_in (lookup)"), (dE_out, "+ dE_out (scores)"), (dE, "= dE (tied)"))
    for ax, (part, name) in zip(axes, parts, strict=True):
        image = matrix(ax, part, words, name, limit)
    figure.colorbar(image, ax=list(axes), label="gradient (nats per unit of E)", aspect=30)
    return figure


def matrix(axes, values, rows, title, limit):
    """A heat map with the number in each cell and a name for each row."""
    image = heat_map(axes, values, limit)
    axes.set_title(title)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlabel("column of E")
    return image


def frame_row(axes, row, columns, color):
    """A frame around one row of a matrix, dark outside and light inside, seen on any color."""
    corner, size = (-0.47, row - 0.44), (columns - 0.06, 0.88)
    for look in ({"edgecolor": "black", "linewidth": 12}, {"edgecolor": color, "linewidth": 6}):
        axes.add_patch(Rectangle(corner, *size, fill=False, **look))
