"""Learning curves: perplexity by epoch, for every arm and seed of a comparison."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00")  # Okabe and Ito
MARKERS = ("o", "s", "^", "D", "v", "P")

Curves = Mapping[str, Sequence[Sequence[float]]]  # arm -> one list of perplexities for each seed


def learning_curves(train: Curves, valid: Curves, title: str, floor: float | None = None) -> Figure:
    """Training on the left, validation on the right, one colour and marker for each arm.

    Thin lines are seeds, the thick line is their mean over the epochs that all of them reached.
    floor: the best perplexity that any model can expect, drawn where it is known.
    """
    figure = Figure(figsize=(9, 4.8), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    names = ("training text, while learning", "validation text, after each epoch")
    for ax, curves, name in zip(axes, (train, valid), names, strict=True):
        for arm, seeds, colour, marker in zip(
            curves, curves.values(), COLOURS, MARKERS, strict=False
        ):
            draw_arm(ax, arm, seeds, colour, marker)
        if floor is not None:
            ax.axhline(floor, color="0.4", linestyle=":", label="best possible")
        ax.set(xlabel="epoch", title=name)
        plain_log_scale(ax)
    axes[0].set_ylabel("perplexity (words, log scale)")
    axes[1].legend(frameon=False)
    figure.suptitle(title, fontsize=13)
    return figure


def plain_log_scale(ax: Axes) -> None:
    """A logarithmic perplexity axis with ordinary numbers on it."""
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(alpha=0.3)


def draw_arm(
    ax: Axes, arm: str, seeds: Sequence[Sequence[float]], colour: str, marker: str
) -> None:
    """All seeds of one arm, thin, and their mean, thick."""
    for values in seeds:
        ax.plot(np.arange(1, len(values) + 1), values, color=colour, linewidth=0.7, alpha=0.5)
    common = min(map(len, seeds))
    mean = np.mean([values[:common] for values in seeds], axis=0)
    ax.plot(
        np.arange(1, common + 1), mean, color=colour, marker=marker, markersize=5,
        markevery=max(1, common // 8), linewidth=2, label=arm,
    )  # fmt: skip
