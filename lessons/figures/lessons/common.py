"""What the figures of the lessons share: size, colors, a matrix with its numbers, saving."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

# From the palette of Okabe and Ito, told apart by most eyes and in grey
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#777777"


def new_figure(title: str, columns: int = 1, sharey: bool = False) -> tuple[Figure, np.ndarray]:
    """An 800 × 450 figure with a row of axes, and its message on top."""
    figure = Figure(figsize=(8, 4.5), dpi=100, layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False, sharey=sharey)
    figure.suptitle(title, fontsize=14, fontweight="bold")
    return figure, axes[0]


def draw_matrix(axes, values, rows, title, largest):
    """A heat map with the number in each cell and a name for each row; what is 0 stays white."""
    shown = np.ma.masked_equal(values, 0)
    lowest = -largest if values.min() < 0 else 0
    image = axes.imshow(shown, cmap="cividis", vmin=lowest, vmax=largest, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        dark = value != 0 and image.norm(value) < 0.6
        text = f"{value:g}" if value == round(value) else f"{value:.2f}"
        axes.text(j, i, text, ha="center", va="center", color="white" if dark else "black")
    axes.set_title(title, fontsize=12)
    axes.set_xticks(range(values.shape[1]))
    axes.set_yticks(range(len(rows)), rows, fontsize=12)
    axes.set_xlabel("column of E", fontsize=12)
    return image


def save_figure(figure: Figure, name: str, here: str | None) -> str:
    """Save as figures/NAME.png beside the lesson's file `here`; a notebook, which has none, saves
    beside where it runs, and shows the figure. Returns the path from that folder on."""
    folder = Path(here).resolve().parent if here else Path.cwd()
    path = folder / "figures" / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)
    IPython = sys.modules.get("IPython")  # only there where somebody works interactively
    if IPython is not None and IPython.get_ipython() is not None:
        IPython.display.display(IPython.display.Image(filename=path))
    return f"figures/{name}.png"
