"""The two paths of the embedding over the course of training, by word frequency."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.curves import COLOURS, MARKERS


def paths_over_time(rows: list[dict[str, Any]]) -> Figure:
    """Norm of each path, the cosine between them, and the rows that the lookup path touches.

    rows: `PathRow._asdict()`, in the order of their steps.
    """
    figure = Figure(figsize=(9, 11), layout="constrained")
    norms, cosines, touched = figure.subplots(3, 1, sharex=True)
    names = list(dict.fromkeys(row["band"] for row in rows))
    for name, colour, marker in zip(names, COLOURS, MARKERS, strict=False):
        of_band = [row for row in rows if row["band"] == name]
        every = max(1, len(of_band) // 10)
        look = {"color": colour, "marker": marker, "markersize": 5, "markevery": every}
        curve(norms, of_band, "output_norm", **look)
        curve(norms, of_band, "input_norm", **look, linestyle="--")
        curve(cosines, of_band, "cosine", **look)
        curve(touched, of_band, "input_touched", **look, label=name)
    norms.set_yscale("log")
    norms.plot([], [], color="0.4", label="output path")
    norms.plot([], [], color="0.4", linestyle="--", label="input path")
    norms.legend(fontsize=12)
    cosines.axhline(0, color="0.5", linewidth=1)
    touched.set_ylim(-0.03, 1.03)
    labelled(norms, "Length of each path's gradient", "norm (nats per unit of E)")
    labelled(cosines, "Do the two paths agree?", "cosine")
    labelled(touched, "The lookup reaches few rows, the softmax all", "share of rows looked up")
    touched.set_xlabel("training step", fontsize=14)
    figure.legend(*touched.get_legend_handles_labels(), loc="outside lower center",
                  ncols=3, fontsize=12)  # fmt: skip
    figure.suptitle(message(rows), fontsize=15)
    return figure


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


def curve(panel, rows, field, **look):
    """One measure over the steps; a gap where it is not defined or zero on a logarithmic axis."""
    values = [np.nan if row[field] is None else row[field] for row in rows]
    panel.plot([row["step"] for row in rows], values, **look)


def labelled(panel, title, ylabel):
    """Title and axes of one panel."""
    panel.set_title(title, fontsize=14)
    panel.set_ylabel(ylabel, fontsize=14)
    panel.tick_params(labelsize=12)
    panel.grid(True, color="0.9")
