"""Figures about checking gradients: lessons 05, 06 and 09."""

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
    looks,
    new_figure,
)

LOWEST = 1e-13  # errors below it are drawn there: an error of 0 has no logarithm


@house_style
def difference_errors(steps: np.ndarray, errors: dict[str, list[float]]) -> Figure:
    """The error of each way to differentiate against its step. errors: name -> (n,)"""
    figure, (axes,) = new_figure("A smaller step helps only until rounding takes over")
    for i, (name, values) in enumerate(errors.items()):
        floor = np.maximum(values, 1e-17)  # an error of exactly 0 has no logarithm
        look = {"color": OTHERS[i], "linestyle": LINES[i % 4], "marker": MARKERS[i]}
        axes.loglog(steps, floor, **look, label=name)
    axes.axvline(1e-5, color=GREY, linewidth=2)
    axes.text(1.3e-5, 1e-17, "our step, 10⁻⁵")
    axes.set_xlabel("step (units of E)")
    axes.set_ylabel("error of the derivative (nats per unit)")
    axes.set_ylim(1e-18, 1e8)
    axes.legend(ncols=3, loc="upper center")
    return figure


@house_style
def total_and_partials(total: np.ndarray, claims: dict[str, np.ndarray]) -> Figure:
    """The measured total derivative of each entry of E against three claims: name -> (V, D)."""
    figure, (axes,) = new_figure("Bump the one matrix: the loss answers with the sum of both paths")
    for name, look in looks(claims).items():
        del look["linestyle"]
        axes.scatter(claims[name], total, 200, **look, label=name, edgecolor="black")
    ends = [total.min(), total.max()]
    axes.plot(ends, ends, color=GREY, zorder=0, label="claim = measurement")
    axes.set_xlabel("claimed derivative (nats per unit of E)")
    axes.set_ylabel("measured total derivative (nats per unit)")
    axes.legend()
    return figure


@house_style
def errors_by_parameter(whole: dict[str, float], broken: dict[str, float]) -> Figure:
    """The relative error of each parameter's gradient, right and with one line broken."""
    title = "One line is broken: from there on, every gradient is wrong"
    figure, (axes,) = new_figure(title)
    places = np.arange(len(whole))
    given = [("as it should be", whole, TIED, "o"), ("dh_next forgotten", broken, WRONG, "X")]
    for name, errors, color, marker in given:
        heights = np.maximum(list(errors.values()), LOWEST)
        axes.vlines(places, LOWEST, heights, color=GREY, zorder=0)
        look = {"color": color, "markeredgecolor": "black", "markersize": 24, "linestyle": "none"}
        axes.plot(places, heights, marker, label=name, **look)
    axes.axhline(1e-6, color=BLACK, linestyle="--", label="our tolerance, 10⁻⁶")
    axes.set_yscale("log")
    axes.set_ylim(LOWEST, 1e5)
    axes.set_xticks(places, [f"d{name}" for name in whole])
    axes.set_xlabel("gradient, in the order of the backward")
    axes.set_ylabel("worst error / largest entry (no unit)")
    axes.legend(ncols=3, loc="upper center")
    return figure
