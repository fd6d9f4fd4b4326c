"""Figures of lessons 19 and 20."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREEN, GREY, ORANGE, new_figure

LOOKS = [(BLUE, "o"), (ORANGE, "s"), (GREEN, "^")]


def spans_over_training(apart: dict[str, np.ndarray], chance: float) -> Figure:
    """Distance of the spans of E_in and E_out by epoch. apart: loss -> (seeds, epochs)"""
    figure, (axes,) = new_figure("The divergence leads E_out into the space of E_in")
    for (name, found), (color, marker) in zip(apart.items(), LOOKS, strict=True):
        epochs = np.arange(1, found.shape[1] + 1)
        axes.fill_between(epochs, found.min(axis=0), found.max(axis=0), color=color, alpha=0.2)
        axes.plot(epochs, found.mean(axis=0), color=color, marker=marker, markersize=8,
                  linewidth=2.5, label=name)  # fmt: skip
    axes.axhline(chance, color=GREY, linewidth=1.5, linestyle=":")
    axes.text(6, chance + 0.01, "two random spaces", fontsize=12, va="bottom", ha="right")
    axes.set_ylim(0, 1.07)
    axes.set_xlabel("epoch (passes over the text)", fontsize=12)
    axes.set_ylabel("distance of the spaces (sine)", fontsize=12)
    axes.legend(fontsize=12, loc="lower left")
    return figure


def family_of_ties(found: dict[str, np.ndarray], widths: dict[str, int]) -> Figure:
    """Perplexity of each member at one budget. found: member -> (seeds,); bars are seeds."""
    figure, (axes,) = new_figure("One budget of parameters, six ways to spend it")
    places = np.arange(len(found))[::-1]
    for place, values in zip(places, found.values(), strict=True):
        axes.plot([values.min(), values.max()], [place, place], color=GREY, linewidth=4)
        axes.plot(values.mean(), place, "o", color=BLUE, markersize=11)
        axes.annotate(f"{values.mean():.1f}", (values.mean(), place), (0, 11),
                      textcoords="offset points", ha="center", fontsize=12)  # fmt: skip
    axes.set_yticks(places, [f"{name}, D = {widths[name]}" for name in found], fontsize=12)
    axes.set_ylim(-0.6, len(found) - 0.3)
    axes.set_xlabel("perplexity on new text (words); the bar runs from the best seed to the worst",
                    fontsize=12)  # fmt: skip
    axes.grid(axis="x", alpha=0.3)
    return figure
