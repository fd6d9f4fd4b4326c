"""Figures about checking gradients: lessons 05, 06 and 09."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREEN, GREY, ORANGE, RED, new_figure

STYLES = [(BLUE, "o-"), (ORANGE, "s-"), (GREEN, "^-"), ("black", "x:"), (RED, "d--")]
LOWEST = 1e-13  # errors below it are drawn there: an error of 0 has no logarithm


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


def errors_by_parameter(whole: dict[str, float], broken: dict[str, float]) -> Figure:
    """The relative error of each parameter's gradient, right and with one line broken."""
    title = "One line is broken: from there on, every gradient is wrong"
    figure, (axes,) = new_figure(title)
    places = np.arange(len(whole))
    looks = [("as it should be", whole, BLUE, "o"), ("dh_next forgotten", broken, RED, "X")]
    for name, errors, color, marker in looks:
        heights = np.maximum(list(errors.values()), LOWEST)
        axes.vlines(places, LOWEST, heights, color=GREY, linewidth=2, zorder=0)
        look = {"color": color, "markeredgecolor": "black", "markersize": 12, "linestyle": "none"}
        axes.plot(places, heights, marker, label=name, **look)
    axes.axhline(1e-6, color="black", linestyle="--", label="our tolerance, 10⁻⁶")
    axes.set_yscale("log")
    axes.set_ylim(LOWEST, 1e5)
    axes.set_xticks(places, [f"d{name}" for name in whole], fontsize=12)
    axes.set_xlabel("gradient, in the order of the backward", fontsize=12)
    axes.set_ylabel("worst error / largest entry (no unit)", fontsize=12)
    axes.legend(fontsize=12, ncols=3, loc="upper center")
    return figure
