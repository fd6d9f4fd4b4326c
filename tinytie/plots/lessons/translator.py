"""The figure of the three ways to tie a translator: lesson 16."""

from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREEN, ORANGE, new_figure

COLORS, HATCHES = (BLUE, ORANGE, GREEN), ("", "//", "..")


def three_tyings(results: dict[str, tuple[int, float, float]]) -> Figure:
    """results: way to tie -> (parameters, perplexity on the test, BLEU-2)."""
    figure, axes = new_figure("One matrix for three uses: half the numbers, and here no worse", 3)
    names = list(results)
    shown = [name.replace("-", "-\n") for name in names]
    colors, hatches = COLORS[: len(names)], HATCHES[: len(names)]
    labels = ("parameters (numbers)", "test perplexity (subwords)", "BLEU-2 (0 … 100)")
    formats = ("{:,.0f}", "{:.1f}", "{:.0f}")
    for i, (ax, label, written) in enumerate(zip(axes, labels, formats, strict=True)):
        values = [results[name][i] for name in names]
        bars = ax.bar(shown, values, color=colors, hatch=hatches, edgecolor="black")
        ax.bar_label(bars, [written.format(value) for value in values], fontsize=11, padding=3)
        ax.set_ylim(0, 1.15 * max(values))
        ax.set_ylabel(label, fontsize=12)
        ax.set_xlabel("tying", fontsize=12)
        ax.tick_params(labelsize=11)
    axes[0].set_yticks([0, 20_000, 40_000], ["0", "20,000", "40,000"])
    return figure
