"""Figures of recurrent cells: lessons 07, 08 and 15."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREEN, GREY, ORANGE, RED, new_figure

# name of each value of the cell -> (x, y, kept for the backward)
VALUES = {
    "e": (0, 2, True),
    "W": (0, 3, True),
    "h_prev": (0, 1, True),
    "U": (0, 0, True),
    "e Wᵀ": (1, 2.5, False),
    "h_prev Uᵀ": (1, 0.5, False),
    "b": (1, 1.5, False),
    "a": (2, 1.5, False),
    "h": (3, 1.5, True),
}
FLOWS = [
    ("e", "e Wᵀ"), ("W", "e Wᵀ"), ("h_prev", "h_prev Uᵀ"), ("U", "h_prev Uᵀ"), ("e Wᵀ", "a"),
    ("b", "a"), ("h_prev Uᵀ", "a"), ("a", "h"),
]  # fmt: skip


def cell_and_what_it_keeps() -> Figure:
    """The values of one step from left to right; those that the backward needs are filled."""
    figure, (axes,) = new_figure("Backward needs the factors of each product, and h; never a")
    boxes = {}
    for name, (x, y, kept) in VALUES.items():
        color, style = (ORANGE, "-") if kept else ("white", "--")
        box = {"boxstyle": "round,pad=0.5", "facecolor": color, "linestyle": style}
        text = axes.text(x, y, name, ha="center", va="center", fontsize=15, bbox=box)
        boxes[name] = text.get_bbox_patch()
    for start, end in FLOWS:
        arrow = {"arrowstyle": "-|>", "color": GREY, "lw": 2, "mutation_scale": 18}
        arrow |= {"patchA": boxes[start], "patchB": boxes[end], "shrinkA": 2, "shrinkB": 2}
        axes.annotate("", VALUES[end][:2], VALUES[start][:2], arrowprops=arrow)
    axes.text(2.5, 1.6, "tanh", ha="center", fontsize=13)
    axes.text(2.1, 0.1, "filled: kept\ndashed: not kept", fontsize=14)
    axes.set_xlim(-0.4, 3.5)
    axes.set_ylim(-0.5, 3.5)
    axes.axis("off")
    return figure


def gradient_by_step(norms: dict[str, np.ndarray]) -> Figure:
    """The size of what reaches h_t, by step. norms: name -> (T,)"""
    figure, (axes,) = new_figure("Without dh_next each step hears only of its own loss")
    looks = [(BLUE, "o-"), (ORANGE, "s--"), (GREEN, "^:")]
    for (name, values), (color, style) in zip(norms.items(), looks, strict=False):
        steps = np.arange(1, len(values) + 1)
        axes.plot(steps, values, style, color=color, label=name, linewidth=2, markersize=8)
    axes.set_xlabel("time step t", fontsize=12)
    axes.set_ylabel("‖gradient that reaches h_t‖ (loss per unit)", fontsize=12)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=12)
    return figure


def gradient_of_cells(norms: dict[str, np.ndarray]) -> Figure:
    """What of a loss at the last step reaches each step before. norms: name -> (T,)"""
    figure, (axes,) = new_figure("An open gate carries the gradient back; a simple cell loses it")
    looks = [(BLUE, "o-"), (ORANGE, "s--"), (GREEN, "^-"), (RED, "d:")]
    for (name, values), (color, style) in zip(norms.items(), looks, strict=False):
        back = np.arange(len(values), 0, -1)
        axes.semilogy(back, values, style, color=color, label=name, linewidth=2, markersize=6)
    axes.invert_xaxis()
    axes.set_xlabel("steps before the loss", fontsize=12)
    axes.set_ylabel("‖gradient of the state‖ (loss per unit)", fontsize=12)
    axes.tick_params(labelsize=11)
    axes.legend(fontsize=12)
    return figure
