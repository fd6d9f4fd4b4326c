"""Learning curves: perplexity by epoch, for every arm and seed of a comparison."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from tinytie.plots.style import house_style, looks, new_figure

Curves = Mapping[str, Sequence[Sequence[float]]]  # arm -> one list of perplexities for each seed


@house_style
def learning_curves(
    train: Curves, valid: Curves, title: str | None = None, floor: float | None = None
) -> Figure:
    """Training on the left, validation on the right, one colour and marker for each arm.

    Thin lines are seeds, the thick line is their mean over the epochs that all of them reached.
    title: without one it says the lowest validation perplexity of each arm.
    floor: the best perplexity that any model can expect, drawn where it is known.
    """
    figure, axes = new_figure(title or lowest(valid), 2, sharey=True)
    names = ("training text, while learning", "validation text, after each epoch")
    for ax, curves, name in zip(axes, (train, valid), names, strict=True):
        for arm, look in looks(curves).items():
            draw_arm(ax, arm, curves[arm], look)
        if floor is not None:
            ax.axhline(floor, color="0.4", linestyle=":", label="best possible")
        ax.set(xlabel="epoch", title=name)
        plain_log_scale(ax)
    axes[0].set_ylabel("perplexity (words, log scale)")
    axes[1].legend(frameon=False)
    return figure


def lowest(valid: Curves) -> str:
    """What the curves come down to: the mean over the seeds of their lowest points."""
    ends = [f"{arm} {np.mean([min(seed) for seed in seeds]):.1f}" for arm, seeds in valid.items()]
    return f"Lowest on validation text: {', '.join(ends)}"


def plain_log_scale(ax: Axes) -> None:
    """A logarithmic perplexity axis with ordinary numbers on it, and whole epochs below."""
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.grid(alpha=0.3)


def draw_arm(ax: Axes, arm: str, seeds: Sequence[Sequence[float]], look: dict[str, Any]) -> None:
    """All seeds of one arm, thin, and their mean, thick. One epoch alone is one marker."""
    for values in seeds:
        epochs = np.arange(1, len(values) + 1)
        ax.plot(epochs, values, color=look["color"], linewidth=1.2, alpha=0.5)
    common = min(map(len, seeds))
    mean = np.mean([values[:common] for values in seeds], axis=0)
    every = max(1, common // 8)
    ax.plot(np.arange(1, common + 1), mean, **look, markevery=every, label=arm)
    if common == 1:
        ax.set_xlim(0.5, 1.5)
