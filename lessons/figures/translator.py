"""The figure of the three ways to tie a translator: lesson 16."""

from matplotlib.figure import Figure

from tinytie.plots.style import house_style, looks, new_figure


@house_style
def three_tyings(results: dict[str, tuple[int, list[float], list[float]]]) -> Figure:
    """results: way to tie -> (parameters, perplexity of each run, BLEU-2 of each run)."""
    title = "Half the numbers; what is left of a difference is the luck of a run"
    figure, axes = new_figure(title, 3)
    for name, look in looks(results).items():
        size, *runs = results[name]
        shown = name.replace("-", "-\n")
        bar = axes[0].bar(shown, size, color=look["color"], edgecolor="black")
        axes[0].bar_label(bar, [f"{size:,}"], padding=6)
        for ax, values in zip(axes[1:], runs, strict=True):
            look_of_points = {"color": look["color"], "marker": look["marker"]}
            ax.margins(x=0.2)
            ax.scatter([shown] * len(values), values, 350, **look_of_points, edgecolor="black")
    labels = ("parameters (numbers)", "test perplexity (subwords)", "BLEU-2 (0 … 100)")
    for ax, label in zip(axes, labels, strict=True):
        ax.set_ylabel(label)
        ax.set_xlabel("tying")
        ax.set_ylim(0, 1.15 * ax.get_ylim()[1])
    axes[0].set_yticks([0, 20_000, 40_000], ["0", "20,000", "40,000"])
    return figure
