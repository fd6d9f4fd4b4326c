"""The house style: 1600 × 900, read from the back row, and the same thing always in one colour."""

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.layout_engine import ConstrainedLayoutEngine

# From the palettes of Okabe and Ito and of Tol: told apart by most eyes, and the pairs in grey too
TIED, UNTIED = "#0072B2", "#E69F00"
LOOKUP, SCORES = "#009E73", "#882255"
WRONG = "#D55E00"  # a mistake, beside what it should be
GREY, BLACK = "#777777", "#000000"
OTHERS = ("#000000", "#CC79A7", "#56B4E9", "#999933", "#D55E00", "#009E73")
THINGS = {
    "tied": TIED, "three-way": TIED, "untied": UNTIED, "none": UNTIED, "decoder": "#CC79A7",
    "lookup": LOOKUP, "dE_in": LOOKUP, "scores": SCORES, "dE_out": SCORES, "dE": TIED,
}  # fmt: skip
MARKERS, LINES = ("o", "s", "^", "D", "v", "P"), ("-", "--", ":", "-.")
DIVERGING = "PuOr"  # data with a sign: orange below zero, white at zero, purple above

SIZES: Any = {
    "font.size": 20, "figure.titleweight": "bold", "axes.titlesize": 24,
    "axes.labelsize": 22, "xtick.labelsize": 20, "ytick.labelsize": 20, "legend.fontsize": 20,
    "lines.linewidth": 4, "lines.markersize": 14, "axes.linewidth": 1.5, "axes.titlepad": 14,
    "xtick.major.size": 8, "ytick.major.size": 8, "svg.hashsalt": "tinytie",
}  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")


def house_style(draw: Callable[P, R]) -> Callable[P, R]:
    """Run a function that draws with the sizes of the house."""

    @functools.wraps(draw)
    def in_style(*args: P.args, **kwargs: P.kwargs) -> R:
        with mpl.rc_context(SIZES):
            return draw(*args, **kwargs)

    return in_style


def new_figure(
    title: str, columns: int = 1, rows: int = 1, **options: Any
) -> tuple[Figure, np.ndarray]:
    """A figure of 1600 × 900 dots with its axes (columns,) or (rows, columns), and its message."""
    layout = ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.15)
    figure = Figure(figsize=(16, 9), dpi=100, layout=layout)
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    figure.suptitle(title, fontsize=27 * min(1, 66 / len(title)))  # a long message still fits
    return figure, axes[0] if rows == 1 else axes


def looks(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Colour, line and marker for each name: a tied model is blue wherever it is drawn.

    A name is known by its beginning ("untied, same width"); two of one colour differ in the line.
    """
    found: dict[str, dict[str, Any]] = {}
    others = iter(OTHERS * 9)
    for i, name in enumerate(names):
        known = [color for thing, color in THINGS.items() if name.split(",")[0] == thing]
        color = known[0] if known else next(others)
        line = LINES[sum(look["color"] == color for look in found.values()) % len(LINES)]
        found[name] = {"color": color, "linestyle": line, "marker": MARKERS[i % len(MARKERS)]}
    return found


def heat_map(
    axes: Axes, values: np.ndarray, limit: float, numbers: bool = True, **text: Any
) -> AxesImage:
    """Values with a sign on the diverging scale, −limit … limit, with the number in each cell."""
    image = axes.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto")
    for (i, j), value in np.ndenumerate(values) if numbers else ():
        said = f"{value:g}" if value == round(value) else f"{value:.2f}"
        ink = legible_on(image.cmap(image.norm(value)))
        axes.text(j, i, said, ha="center", va="center", color=ink, **text)
    axes.set_xticks(range(values.shape[1]))
    return image


def legible_on(color: Any) -> str:
    """Black or white, whichever is the further from this colour."""
    luminance = np.dot(np.power(color[:3], 2.2), (0.2126, 0.7152, 0.0722))
    return BLACK if luminance > 0.2 else "white"


def save(figure: Figure, file: str | Path | IO[bytes], **options: Any) -> None:
    """Write the figure; an SVG is the same file whenever it is drawn."""
    with mpl.rc_context(SIZES):
        figure.savefig(file, **options)
