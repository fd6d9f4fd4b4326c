"""The figure of different widths: lesson 14."""

from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREY, ORANGE, new_figure


def perplexity_by_width(
    widths: list[int], results: dict[str, list[tuple[int, float]]], floor: float
) -> Figure:
    """Perplexity against D, and against the number of parameters.

    results: name -> (parameters, perplexity) for each width; floor: the language's own perplexity.
    """
    title = "A narrow E costs a tied model more; count parameters, and they meet"
    figure, (left, right) = new_figure(title, 2, sharey=True)
    looks = [(BLUE, "o-"), (ORANGE, "s--")]
    for (name, found), (color, style) in zip(results.items(), looks, strict=True):
        sizes, values = zip(*found, strict=True)
        for axes, across in ((left, widths), (right, sizes)):
            axes.plot(across, values, style, color=color, label=name, linewidth=2, markersize=8)
    for axes in (left, right):
        axes.axhline(floor, color=GREY, linestyle=":")
        axes.set_xscale("log")
        axes.tick_params(labelsize=11)
    left.set_ylim(bottom=0.8 * floor)
    left.text(widths[0], 0.98 * floor, "no model can go below", fontsize=12, va="top")
    left.set_xticks(widths, [str(D) for D in widths])
    left.set_xticks([], minor=True)
    left.set_xlabel("D, width of a row of E (numbers)", fontsize=12)
    left.set_ylabel("validation perplexity (words)", fontsize=12)
    right.set_xticks([2_000, 5_000, 10_000, 20_000], ["2,000", "5,000", "10,000", "20,000"])
    right.set_xticks([], minor=True)
    right.set_xlabel("parameters (numbers)", fontsize=12)
    right.legend(fontsize=12)
    return figure
