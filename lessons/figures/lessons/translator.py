"""The figure of the three ways to tie a translator: lesson 16."""

from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREEN, ORANGE, new_figure

LOOKS = [(BLUE, "", "o"), (ORANGE, "//", "s"), (GREEN, "..", "^")]


def three_tyings(results: dict[str, tuple[int, list[float], list[float]]]) -> Figure:
    """results: way to tie -> (parameters, perplexity of each run, BLEU-2 of each run)."""
    figure, axes = new_figure(
        "Half the numbers; what is left of a difference is the luck of a run", 3
    )
    for (name, (size, *runs)), (color, hatch, marker) in zip(results.items(), LOOKS, strict=False):
        shown = name.replace("-", "-\n")
        bar = axes[0].bar(shown, size, color=color, hatch=hatch, edgecolor="black")
        axes[0].bar_label(bar, [f"{size:,}"], fontsize=11, padding=3)
        for ax, values in zip(axes[1:], runs, strict=True):
            places = [shown] * len(values)
            ax.margins(x=0.2)
            ax.scatter(places, values, 90, color, marker=marker, edgecolor="black")
    labels = ("parameters (numbers)", "test perplexity (subwords)", "BLEU-2 (0 … 100)")
    for ax, label in zip(axes, labels, strict=True):
        ax.set_ylabel(label, fontsize=12)
        ax.set_xlabel("tying", fontsize=12)
        ax.set_ylim(0, 1.15 * ax.get_ylim()[1])
        ax.tick_params(labelsize=11)
    axes[0].set_yticks([0, 20_000, 40_000], ["0", "20,000", "40,000"])
    return figure
