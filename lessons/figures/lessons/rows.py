"""A figure of what the rows of an embedding mean: lesson 12."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.measure.neighbours import plane
from tinytie.plots.lessons.common import BLUE, GREEN, ORANGE, RED, new_figure

COLORS = [BLUE, ORANGE, GREEN, RED, "black"]


def maps_of_rows(
    matrices: dict[str, np.ndarray], classes: np.ndarray, letters: list[str]
) -> Figure:
    """Each matrix's rows (n, D) on the plane in which they spread most.

    classes (n,): the class of each row; letters: what a row of each class is drawn as.
    """
    title = "Every matrix finds the classes, each in coordinates of its own"
    figure, axes = new_figure(title, len(matrices))
    for ax, (name, E) in zip(axes, matrices.items(), strict=True):
        points = plane(E)
        ax.scatter(*points.T, 0)  # nothing is drawn: the axes learn how far the points reach
        for k, (one, letter) in enumerate(zip(np.unique(classes), letters, strict=True)):
            look = {"color": COLORS[k % 5], "ha": "center", "va": "center", "weight": "bold"}
            for point in points[classes == one]:
                ax.text(*point, letter, fontsize=12, **look)
        ax.set_title(name, fontsize=14)
        ax.set_xlabel("first direction (units of E)", fontsize=12)
        ax.set_aspect("equal", adjustable="datalim")
    axes[0].set_ylabel("second direction (units of E)", fontsize=12)
    figure.supxlabel("one letter a word: the first of its class's name", fontsize=12)
    return figure
