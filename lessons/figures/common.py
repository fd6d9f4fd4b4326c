"""Where the pictures of the lessons go."""

import os
import sys
from pathlib import Path

from matplotlib.figure import Figure

from tinytie.plots.style import save

LESSONS = Path(__file__).resolve().parents[1]


def pictures_folder() -> Path:
    """`pictures` beside the lessons; in the working folder where nobody may write there."""
    ours = LESSONS.name != "_lessons" and os.access(LESSONS, os.W_OK)  # not in a package's own
    return (LESSONS if ours else Path.cwd()) / "pictures"


def save_figure(figure: Figure, name: str) -> str:
    """Save as pictures/NAME.png and .svg; a notebook shows it too. Returns the PNG's short name."""
    folder = pictures_folder()
    folder.mkdir(exist_ok=True)
    for ending in ("svg", "png"):
        save(figure, folder / f"{name}.{ending}")
    IPython = sys.modules.get("IPython")  # only there where somebody works interactively
    if IPython is not None and IPython.get_ipython() is not None:
        IPython.display.display(IPython.display.Image(filename=folder / f"{name}.png"))
    return f"pictures/{name}.png"
