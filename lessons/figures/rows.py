"""A figure of what the rows of an embedding mean: lesson 12."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.measure.neighbours import plane
from tinytie.plots.style import OTHERS, house_style, new_figure


@house_style
def maps_of_rows(
    matrices: dict[str, np.ndarray], classes: np.ndarray, letters: list[str]
) -> Figure:
    """Each matrix's rows (n, D) on the plane in which they spread most.

    classes (n,): the class of each row; letters: what stands in the middle of each class.
    """
    title = "Every matrix finds the classes, each in coordinates of its own"
    figure, axes = new_figure(title, len(matrices))
    for ax, (name, E) in zip(axes, matrices.items(), strict=True):
        points = plane(E)
        middles: list[np.ndarray] = []
        for k, (one, letter) in enumerate(zip(np.unique(classes), letters, strict=True)):
            color, some = OTHERS[k % 5], points[classes == one]  # ten classes: five are hollow
            filled = color if k < 5 else "none"
            ax.scatter(*some.T, 120, facecolor=filled, edgecolor=color, linewidth=2.5)
            box = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": color}
            middles.append(beside(some.mean(axis=0), middles, np.ptp(points, axis=0)))
            ax.text(*middles[-1], letter, ha="center", va="center", fontsize=22, bbox=box)
        ax.set_title(name)
        ax.set_xlabel("first direction")
        ax.locator_params(nbins=5)
    axes[0].set_ylabel("second direction (units of E)")
    figure.supxlabel("one dot a word; the letter of a class stands in its middle", fontsize=22)
    return figure


def beside(middle, others, spread):
    """The place, moved up where another letter would lie under it."""
    near, up = np.array([0.14, 0.08]) * spread, np.array([0, 0.03 * spread[1]])
    while any((np.abs(middle - other) < near).all() for other in others):
        middle = middle + up
    return middle
