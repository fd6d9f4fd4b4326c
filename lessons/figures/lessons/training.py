"""Figures of models that are trained: lessons 10 to 13."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREEN, GREY, ORANGE, new_figure

LOOKS = [(BLUE, "-"), (ORANGE, "--"), (GREEN, ":"), ("black", "-.")]


def training_curves(runs: dict[str, np.ndarray], floor: float) -> Figure:
    """Perplexity by epoch, on the text read and on new text. runs: name -> (seeds, epochs, 2)"""
    title = "Untied learns faster and overfits more; tied ends lower on new text"
    figure, axes = new_figure(title, 2, sharey=True)
    for side, (ax, name) in enumerate(zip(axes, ("text it reads", "new text"), strict=True)):
        for (model, values), (color, style) in zip(runs.items(), LOOKS, strict=False):
            epochs = np.arange(1, values.shape[1] + 1)
            low, mean, high = (f(values[..., side], axis=0) for f in (np.min, np.mean, np.max))
            ax.fill_between(epochs, low, high, color=color, alpha=0.2, linewidth=0)
            ax.plot(epochs, mean, style, color=color, linewidth=2.5, label=model)
        ax.axhline(floor, color=GREY, linewidth=1.5)
        ax.set_title(name, fontsize=12)
        ax.set_xlabel("epoch (passes over the text)", fontsize=12)
    axes[0].set_yscale("log")
    axes[0].set_ylim(18, 110)
    ticks = [20, 30, 40, 60, 100]
    axes[0].set_yticks(ticks, map(str, ticks))
    axes[0].set_yticks([], minor=True)
    axes[0].set_ylabel("perplexity (words)", fontsize=12)
    axes[1].text(1, floor * 0.97, "no model can go below", fontsize=12, va="top")
    axes[1].legend(fontsize=11, loc="upper right")
    return figure


def paths_by_frequency(facts: dict[str, np.ndarray]) -> Figure:
    """Row norms of both paths, and their cosine, by epoch. facts: band -> (epochs, 3)

    The three facts are ‖dE_in[i]‖, ‖dE_out[i]‖ and the cosine, means over the rows looked up.
    """
    figure, (left, right) = new_figure("The scores' path leads early; the lookup's catches up", 2)
    markers = ["o", "s", "^"]
    for (band, values), (color, _), marker in zip(facts.items(), LOOKS, markers, strict=False):
        epochs = np.arange(1, len(values) + 1)
        look = {"color": color, "marker": marker, "markevery": 4, "linewidth": 2}
        left.semilogy(epochs, values[:, 1], "-", label=f"scores, {band}", **look)
        left.semilogy(epochs, values[:, 0], "--", label=f"lookup, {band}", **look)
        right.plot(epochs, values[:, 2], "-", label=band, **look)
    left.set_ylabel("length of a row's gradient (nats per unit of E)", fontsize=12)
    left.legend(fontsize=10, loc="lower right")
    right.axhline(0, color=GREY, linewidth=1)
    right.set_ylim(-1, 1)
    right.set_ylabel("cosine of both paths (no unit)", fontsize=12)
    right.legend(fontsize=11, loc="upper right")
    for axes in (left, right):
        axes.set_xlabel("epoch (passes over the text)", fontsize=12)
    return figure


def share_of_structure(
    shares: Sequence[float], found: dict[str, np.ndarray], floor: float
) -> Figure:
    """Perplexity on new text against the share of words whose two sides go together.

    found: model -> (shares, seeds); lines are means, bars the lowest and highest run.
    """
    figure, (axes,) = new_figure("Tying costs most where a word's two sides have nothing in common")
    markers = ["o", "s", "^", "D"]
    for i, (model, runs) in enumerate(found.items()):
        color, style = LOOKS[i]
        means, places = runs.mean(axis=1), np.array(shares) + 0.012 * (i - 1.5)
        spread = [means - runs.min(axis=1), runs.max(axis=1) - means]
        axes.errorbar(
            places, means, spread, color=color, linestyle=style, marker=markers[i],
            markersize=8, linewidth=2, capsize=4, label=model,
        )  # fmt: skip
    axes.axhline(floor, color=GREY, linewidth=1.5)
    axes.text(0.5, floor, "entropy of the language", fontsize=12, va="bottom", ha="center")
    axes.set_xticks(shares, [f"{share:.0%}" for share in shares], fontsize=12)
    axes.set_xlabel("words said and heard as the same class (% of the vocabulary)", fontsize=12)
    axes.set_ylabel("perplexity on new text (words)", fontsize=12)
    axes.legend(fontsize=12, loc="upper right")
    return figure
