"""Figures of models that are trained: lessons 10, 11 and 13."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.style import GREY, LOOKUP, SCORES, house_style, looks, new_figure


@house_style
def training_curves(runs: dict[str, np.ndarray], floor: float) -> Figure:
    """Perplexity by epoch, on the text read and on new text. runs: name -> (seeds, epochs, 2)"""
    title = "On new text the tied model goes lowest"
    figure, axes = new_figure(title, 2, sharey=True)
    for side, (ax, name) in enumerate(zip(axes, ("text it reads", "new text"), strict=True)):
        for model, look in looks(runs).items():
            values = runs[model][..., side]  # (seeds, epochs)
            epochs = np.arange(1, values.shape[1] + 1)
            low, high = values.min(axis=0), values.max(axis=0)
            ax.fill_between(epochs, low, high, color=look["color"], alpha=0.2, linewidth=0)
            ax.plot(epochs, values.mean(axis=0), **look, markevery=5, label=model)
        ax.axhline(floor, color=GREY, linewidth=3)
        ax.set_title(name)
        ax.set_xlabel("epoch (passes over the text)")
    axes[0].set_yscale("log")
    axes[0].set_ylim(18, 110)
    ticks = [20, 30, 40, 60, 100]
    axes[0].set_yticks(ticks, map(str, ticks))
    axes[0].set_yticks([], minor=True)
    axes[0].set_ylabel("perplexity (words)")
    axes[1].text(1, floor * 0.97, "no model can go below", va="top")
    axes[1].legend(loc="upper right")
    return figure


@house_style
def paths_by_frequency(facts: dict[str, np.ndarray]) -> Figure:
    """Row lengths of both paths by epoch, a panel a band. facts: band -> (epochs, 2 or more)

    The first two facts are ‖dE_in[i]‖ and ‖dE_out[i]‖, means over the rows looked up.
    """
    title = "The scores' path leads early; the lookup's catches up"
    figure, axes = new_figure(title, len(facts), sharey=True)
    for ax, (band, values) in zip(axes, facts.items(), strict=True):
        epochs = np.arange(1, len(values) + 1)
        for i, name, color, style in ((1, "scores", SCORES, "D-"), (0, "lookup", LOOKUP, "^--")):
            ax.semilogy(epochs, values[:, i], style, color=color, markevery=4, label=name)
        ax.set_title(band)
        ax.set_xlabel("epoch")
    axes[0].set_ylabel("length of a row's gradient (nats per unit of E)")
    axes[-1].legend(loc="lower right")
    return figure


@house_style
def share_of_structure(
    shares: Sequence[float], found: dict[str, np.ndarray], floor: float
) -> Figure:
    """Perplexity on new text against the share of words whose two sides go together.

    found: model -> (shares, seeds); lines are means, bars the lowest and highest run.
    """
    figure, (axes,) = new_figure("Tying costs where the two sides of a word differ")
    for i, (model, look) in enumerate(looks(found).items()):
        means, places = found[model].mean(axis=1), np.array(shares) + 0.012 * (i - 1.5)
        spread = [means - found[model].min(axis=1), found[model].max(axis=1) - means]
        axes.errorbar(places, means, spread, **look, capsize=10, label=model)
    axes.axhline(floor, color=GREY, linewidth=3)
    axes.text(0.5, floor, "perplexity of the best possible model", va="bottom", ha="center")
    axes.set_xticks(shares, [f"{share:.0%}" for share in shares])
    axes.set_xlabel("words said and heard as the same class (% of the vocabulary)")
    axes.set_ylabel("perplexity on new text (words)")
    axes.legend(loc="upper right")
    return figure
