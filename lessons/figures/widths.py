"""The figure of different widths: lesson 14."""

from matplotlib.figure import Figure

from tinytie.plots.style import GREY, house_style, looks, new_figure


@house_style
def perplexity_by_width(
    widths: list[int], results: dict[str, list[tuple[int, float]]], floor: float
) -> Figure:
    """Perplexity against D, and against the number of parameters, where each point says its D.

    results: name -> (parameters, perplexity) for each width; floor: the language's own perplexity.
    """
    title = "A narrow E costs a tied model more; count parameters, and they meet"
    figure, (left, right) = new_figure(title, 2, sharey=True)
    for name, look in looks(results).items():
        sizes, values = zip(*results[name], strict=True)
        left.plot(widths, values, **look, label=name)
        right.plot(sizes, values, **(look | {"linestyle": "none"}), label=name)
        side = (0, 18) if name == "tied" else (0, -34)
        for size, value, D in zip(sizes, values, widths, strict=True):
            right.annotate(
                D, (size, value), side, textcoords="offset points", ha="center", color=look["color"]
            )
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
    right.set_xlabel("parameters (numbers); beside each point its D")
    right.legend()
    return figure
