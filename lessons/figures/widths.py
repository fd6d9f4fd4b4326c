"""The figure of different widths: lesson 14."""

from matplotlib.figure import Figure

from tinytie.plots.style import GREY, house_style, looks, new_figure


@house_style
def perplexity_by_width(
    widths: list[int], results: dict[str, list[tuple[int, float]]], floor: float
) -> Figure:
    """Perplexity against D, and against the number of parameters, where the ends say their D.

    results: name -> (parameters, perplexity) for each width; floor: the language's own perplexity.
    """
    title = "A narrow E costs a tied model more; count parameters, and they meet"
    figure, (left, right) = new_figure(title, 2, sharey=True)
    for name, look in looks(results).items():
        sizes, values = zip(*results[name], strict=True)
        left.plot(widths, values, **look, label=name)
        right.plot(sizes, values, **(look | {"linestyle": "none"}), label=name)
        for end, shift, side in ((0, (14, 10), "left"), (-1, (0, -40), "right")):
            right.annotate(
                f"D = {widths[end]}", (sizes[end], values[end]), shift, ha=side,
                textcoords="offset points", color=look["color"],
            )  # fmt: skip
    for axes in (left, right):
        axes.axhline(floor, color=GREY, linestyle=":")
        axes.set_xscale("log")
    left.set_ylim(bottom=0.7 * floor)
    left.text(widths[0], 0.98 * floor, "no model can go below", va="top")
    left.set_xticks(widths, [str(D) for D in widths])
    left.set_xticks([], minor=True)
    left.set_xlabel("D, width of a row of E (numbers)")
    left.set_ylabel("validation perplexity (words), one run a point")
    right.set_xticks([2_000, 5_000, 10_000, 20_000], ["2,000", "5,000", "10,000", "20,000"])
    right.set_xticks([], minor=True)
    right.set_xlabel("parameters (numbers)")
    right.legend()
    return figure
