"""Figures about checking gradients: lessons 05 and 06."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREEN, GREY, ORANGE, RED, new_figure

STYLES = [(BLUE, "o-"), (ORANGE, "s-"), (GREEN, "^-"), ("black", "x:"), (RED, "d--")]


def difference_errors(steps: np.ndarray, errors: dict[str, list[float]]) -> Figure:
    """The error of each way to differentiate against its step. errors: name -> (n,)"""
    title = "A smaller step helps only until rounding takes over"
    figure, (axes,) = new_figure(title)
    for (name, values), (color, style) in zip(errors.items(), STYLES, strict=True):
        floor = np.maximum(values, 1e-17)  # an error of exactly 0 has no logarithm
        axes.loglog(steps, floor, style, color=color, label=name, markersize=6)
    axes.axvline(1e-5, color=GREY, linewidth=1)
    axes.text(1.3e-5, 1e-17, "our step, 10⁻⁵", fontsize=12)
    axes.set_xlabel("step (units of E)", fontsize=12)
    axes.set_ylabel("error of the derivative (nats per unit)", fontsize=12)
    axes.set_ylim(1e-18, 1e6)
    axes.legend(fontsize=11, loc="upper left", ncols=3)
    return figure


def total_and_partials(total: np.ndarray, claims: dict[str, np.ndarray]) -> Figure:
    """The measured total derivative of each entry of E against three claims: name -> (V, D)."""
    figure, (axes,) = new_figure("Bump the one matrix: the loss answers with the sum of both paths")
    looks = [(ORANGE, "s"), (GREEN, "^"), (BLUE, "o")]
    for (name, claim), (color, marker) in zip(claims.items(), looks, strict=True):
        axes.scatter(claim, total, 40, color, marker=marker, label=name, edgecolor="black")
    ends = [total.min(), total.max()]
    axes.plot(ends, ends, color=GREY, zorder=0, label="claim = measurement")
    axes.set_xlabel("claimed derivative (nats per unit of E)", fontsize=12)
    axes.set_ylabel("measured total derivative (nats per unit)", fontsize=12)
    axes.legend(fontsize=12)
    return figure
