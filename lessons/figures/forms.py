"""The figure of the four forms: lesson 18."""

from matplotlib.figure import Figure

from tinytie.plots.style import BLACK, TIED, WRONG, house_style, new_figure

LOOKS = [(TIED, "o-", 26), (BLACK, "s--", 13), (WRONG, "^-", 26), (BLACK, "d:", 13)]


@house_style
def asked_again(norms: dict[str, list[float]]) -> Figure:
    """The norm of dE as each form gives it when asked again and again. norms: name -> (n,)"""
    title = "Pairs and pullbacks repeat their answer; layers and buffers add it up"
    figure, (axes,) = new_figure(title)
    for (name, values), (color, style, size) in zip(norms.items(), LOOKS, strict=True):
        times = range(1, len(values) + 1)
        axes.plot(times, values, style, color=color, label=name, markersize=size)
    axes.set_xticks(times)
    axes.set_xlabel("how often dE was asked for, from one forward (times)")
    axes.set_ylabel("‖dE‖ (nats per unit of E)")
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure
