"""The figure of the four forms: lesson 18."""

from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREEN, ORANGE, RED, new_figure

LOOKS = [(BLUE, "o-", 13), (ORANGE, "s--", 7), (GREEN, "^-", 13), (RED, "d--", 7)]


def asked_again(norms: dict[str, list[float]]) -> Figure:
    """The norm of dE as each form gives it when asked again and again. norms: name -> (n,)"""
    title = "Pairs and pullbacks repeat their answer; layers and buffers add it up"
    figure, (axes,) = new_figure(title)
    for (name, values), (color, style, size) in zip(norms.items(), LOOKS, strict=True):
        times = range(1, len(values) + 1)
        axes.plot(times, values, style, color=color, label=name, linewidth=2, markersize=size)
    axes.set_xticks(times)
    axes.tick_params(labelsize=12)
    axes.set_xlabel("how often dE was asked for, from one forward (times)", fontsize=12)
    axes.set_ylabel("‖dE‖ (nats per unit of E)", fontsize=12)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=12)
    return figure
