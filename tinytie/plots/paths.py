"""The two paths of the embedding over the course of training, by word frequency."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.style import GREY, LINES, LOOKUP, SCORES, house_style, new_figure


@house_style
def paths_over_time(rows: list[dict[str, Any]]) -> Figure:
    """The length of each path's gradient, a panel a band of words; above it, what the two share.

    rows: `PathRow._asdict()`, in the order of their steps.
    """
    names = list(dict.fromkeys(row["band"] for row in rows))
    figure, panels = new_figure(message(rows), len(names), sharey=True)
    for panel, name in zip(panels, names, strict=True):
        of_band = [row for row in rows if row["band"] == name]
        steps = [row["step"] for row in of_band]
        for field, label, colour, i in (
            ("output_norm", "scores", SCORES, 0), ("input_norm", "lookup", LOOKUP, 1)
        ):  # fmt: skip
            lengths = [row[field] or np.nan for row in of_band]  # zero has no place on a log axis
            panel.plot(steps, lengths, color=colour, linestyle=LINES[i], label=label)
        panel.set_title(f"{name}\n{in_words(of_band)}", fontsize=18 if len(names) < 5 else 14)
        panel.set_xlabel("training step")
        panel.locator_params(axis="x", nbins=3)
        panel.grid(True, color=GREY, alpha=0.3)
    panels[0].set_yscale("log")
    panels[0].set_ylabel("length of the gradient (nats per unit of E)")
    panels[0].legend()
    return figure


def in_words(rows):
    """The last cosine of the two paths, and the share of rows that the lookup reaches."""
    cosine = rows[-1]["cosine"]
    said = "no cosine" if cosine is None else f"cosine {cosine:.2f}"
    return f"{said}, looked up {rows[-1]['input_touched']:.0%}"


def message(rows):
    """The ratio of the two norms, where training began and where it ended."""
    whole = [row for row in rows if row["band"] == rows[0]["band"]]
    ratios = [row["output_norm"] / row["input_norm"] for row in whole if row["input_norm"] > 0]
    if not ratios:
        return "Both paths of the embedding over training"
    return (
        f"Output path over input path: {ratios[0]:.2g} at first, {ratios[-1]:.2g} at the end, "
        f"{max(ratios):.2g} at most"
    )
