"""A figure of what the rows of an embedding mean: lesson 12."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.measure.neighbours import plane
from tinytie.plots.lessons.common import BLUE, GREEN, ORANGE, RED, new_figure

COLORS = [BLUE, ORANGE, GREEN, RED, "black"]
MARKERS = ["o", "^"]


def maps_of_rows(matrices: dict[str, np.ndarray], classes: np.ndarray) -> Figure:
    """Each matrix's rows (n, D) on the plane in which they spread most; classes (n,)."""
    title = "Every matrix finds the classes, each in coordinates of its own"
    figure, axes = new_figure(title, len(matrices))
    for ax, (name, E) in zip(axes, matrices.items(), strict=True):
        points = plane(E)
        for k, one in enumerate(np.unique(classes)):
            some = points[classes == one]
            color, marker = COLORS[k % 5], MARKERS[k // 5 % 2]
            ax.scatter(*some.T, 28, color, marker=marker, edgecolor="black", linewidth=0.5)
        ax.set_title(name, fontsize=14)
        ax.set_xlabel("first direction (units of E)", fontsize=12)
        ax.set_aspect("equal", adjustable="datalim")
    axes[0].set_ylabel("second direction (units of E)", fontsize=12)
    figure.supxlabel("one point a word; one color and shape a class", fontsize=12)
    return figure
