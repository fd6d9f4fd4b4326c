"""Figures of recurrent cells: lessons 07, 08 and 15."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.style import (
    BLACK,
    GREY,
    LINES,
    MARKERS,
    OTHERS,
    TIED,
    WRONG,
    house_style,
    new_figure,
)

KEPT = "#56B4E9"
# name of each value of the cell -> (x, y, kept for the backward)
VALUES = {
    "e": (0, 2, True),
    "W": (0, 3, True),
    "h_prev": (0, 1, True),
    "U": (0, 0, True),
    "e Wᵀ": (1, 2.5, False),
    "h_prev Uᵀ": (1, 0.5, False),
    "b": (1, 1.5, False),
    "a + u": (2, 1.5, False),
    "h": (3, 1.5, True),
}
FLOWS = [
    ("e", "e Wᵀ"), ("W", "e Wᵀ"), ("h_prev", "h_prev Uᵀ"), ("U", "h_prev Uᵀ"), ("e Wᵀ", "a + u"),
    ("b", "a + u"), ("h_prev Uᵀ", "a + u"), ("a + u", "h"),
]  # fmt: skip


@house_style
def cell_and_what_it_keeps() -> Figure:
    """The values of one step from left to right; those that the backward needs are filled."""
    figure, (axes,) = new_figure("Backward needs the factors of each product, and h; no sum")
    boxes = {}
    for name, (x, y, kept) in VALUES.items():
        color, style = (KEPT, "-") if kept else ("white", "--")
        box = {"boxstyle": "round,pad=0.5", "facecolor": color, "linestyle": style, "linewidth": 3}
        text = axes.text(x, y, name, ha="center", va="center", fontsize=30, bbox=box)
        boxes[name] = text.get_bbox_patch()
    for start, end in FLOWS:
        arrow = {"arrowstyle": "-|>", "color": GREY, "lw": 4, "mutation_scale": 36}
        arrow |= {"patchA": boxes[start], "patchB": boxes[end], "shrinkA": 4, "shrinkB": 4}
        axes.annotate("", VALUES[end][:2], VALUES[start][:2], arrowprops=arrow)
    axes.text(2.55, 1.62, "tanh", ha="center", fontsize=26)
    axes.text(2.1, 0.1, "filled: kept\ndashed: not kept", fontsize=28)
    axes.set_xlim(-0.4, 3.5)
    axes.set_ylim(-0.5, 3.5)
    axes.axis("off")
    return figure


@house_style
def gradient_by_step(norms: dict[str, np.ndarray]) -> Figure:
    """The size of what reaches h_t, by step. norms: name -> (T,), the whole first."""
    figure, (axes,) = new_figure("Without dh_next each step hears only of its own loss")
    for i, (name, values) in enumerate(norms.items()):
        color = TIED if i == 0 else WRONG if name.startswith("without") else BLACK
        look = {"color": color, "linestyle": LINES[i], "marker": MARKERS[i]}
        axes.plot(np.arange(1, len(values) + 1), values, **look)
        above = (8, 36 if i == 0 else 14)
        axes.annotate(
            name, (1, values[0]), above, textcoords="offset points", color=color, fontsize=24
        )
    axes.set_xlabel("time step t")
    axes.set_ylabel("length of the gradient that reaches h_t")
    axes.set_ylim(0, 1.15 * max(values.max() for values in norms.values()))
    return figure


@house_style
def gradient_of_cells(norms: dict[str, np.ndarray]) -> Figure:
    """What of a loss at the last step reaches each step before. norms: name -> (T,)"""
    figure, (axes,) = new_figure("An open gate carries the gradient back; a simple cell loses it")
    for i, (name, values) in enumerate(norms.items()):
        back = np.arange(len(values), 0, -1)
        look = {"color": OTHERS[i], "linestyle": LINES[i], "marker": MARKERS[i]}
        axes.semilogy(back, values, **look, markevery=3, label=name)
    axes.invert_xaxis()
    axes.set_xlabel("steps before the loss")
    axes.set_ylabel("length of the gradient of the state")
    axes.legend()
    return figure
