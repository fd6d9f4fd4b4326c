"""Figures of what the rows of an embedding mean."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.curves import COLOURS


def word_maps(maps: dict[str, np.ndarray], words: list[str]) -> Figure:
    """One panel a matrix: the same words on its plane. maps: name -> (n, 2)."""
    figure = Figure(figsize=(7 * len(maps), 6.5), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(maps)))
    for panel, (name, points) in zip(panels, maps.items(), strict=True):
        panel.scatter(*points.T, s=12, color=COLOURS[2])
        for word, place in zip(words, points, strict=True):
            panel.annotate(
                word,
                place,
                xytext=(3, 2),
                textcoords="offset points",
                fontsize=11,
                parse_math=False,
            )
        panel.set_title(name, fontsize=15)
        panel.set_xlabel("first principal component (rows of length 1)", fontsize=13)
        panel.set_ylabel("second principal component", fontsize=13)
        panel.tick_params(labelsize=11)
        panel.margins(x=0.12)
    title = f"Where the rows of {len(words)} words point, on the plane of their widest spread"
    figure.suptitle(title, fontsize=16 if len(maps) > 1 else 13)
    return figure
