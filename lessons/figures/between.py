"""Figures of lessons 19 and 20."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.style import GREY, TIED, UNTIED, house_style, looks, new_figure


@house_style
def spans_over_training(apart: dict[str, np.ndarray], chance: float) -> Figure:
    """Distance of the spans of E_in and E_out by epoch. apart: loss -> (seeds, epochs)"""
    figure, (axes,) = new_figure("The divergence leads E_out into the space of E_in")
    for name, look in looks(apart).items():
        found = apart[name]
        epochs = np.arange(1, found.shape[1] + 1)
        low, high = found.min(axis=0), found.max(axis=0)
        axes.fill_between(epochs, low, high, color=look["color"], alpha=0.2)
        axes.plot(epochs, found.mean(axis=0), **look, label=name)
    axes.axhline(chance, color=GREY, linewidth=2, linestyle=":")
    axes.text(epochs[-1], chance + 0.01, "two random spaces", va="bottom", ha="right")
    axes.set_ylim(0, 1.09)
    axes.set_xlabel("epoch (passes over the text)")
    axes.set_ylabel("distance of the spaces (sine)")
    axes.legend(loc="lower left")
    return figure


@house_style
def family_of_ties(found: dict[str, np.ndarray], widths: dict[str, int]) -> Figure:
    """Perplexity of each member at one budget. found: member -> (seeds,); bars are seeds."""
    figure, (axes,) = new_figure("One budget of parameters, six ways to spend it")
    places = np.arange(len(found))[::-1]
    for place, (name, values) in zip(places, found.items(), strict=True):
        color = UNTIED if name.startswith("untied") else TIED
        axes.plot([values.min(), values.max()], [place, place], color=GREY, linewidth=6)
        axes.plot(values.mean(), place, "o", color=color)
        axes.annotate(
            f"{values.mean():.1f}", (values.mean(), place), (0, 14),
            textcoords="offset points", ha="center",
        )  # fmt: skip
    axes.set_yticks(places, [f"{name}, D = {widths[name]}" for name in found])
    axes.set_ylim(-0.6, len(found) - 0.3)
    axes.set_xlabel("perplexity on new text (words); bars: best to worst seed")
    axes.grid(axis="x", alpha=0.3)
    return figure
