"""A figure of how far apart the spans of two embeddings end."""

from typing import Any

from matplotlib.figure import Figure

from tinytie.plots.style import GREY, MARKERS, OTHERS, house_style, new_figure


@house_style
def spans_over_beta(found: list[dict[str, Any]], chance: float) -> Figure:
    """How far apart the two spans end, against the share β of the divergence in the loss."""
    first, last = found[0]["distance"], found[-1]["distance"]
    title = f"From β = {found[0]['beta']:g} to {found[-1]['beta']:g} the spans go from"
    figure, (axes,) = new_figure(f"{title} {first:.2f} to {last:.2f} apart")
    places = range(len(found))
    fields = {"distance": "distance of the spans", "residual": "share of E_out outside span(E_in)"}
    for (field, label), colour, marker in zip(fields.items(), OTHERS, MARKERS, strict=False):
        axes.plot(places, [spans[field] for spans in found], colour, marker=marker, label=label)
    axes.axhline(chance, color=GREY, linewidth=3, label="distance of random spans")
    axes.set_xticks(places, [f"{spans['beta']:g}" for spans in found])
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("β, the share of the divergence in the loss")
    axes.set_ylabel("0: one space, 1: orthogonal")
    axes.grid(True, color="0.9")
    axes.legend()
    return figure
