"""Figures of what the rows of an embedding mean."""

import numpy as np
from matplotlib.figure import Figure

BLUE = "#0072B2"


def word_maps(maps: dict[str, np.ndarray], words: list[str]) -> Figure:
    """One panel a matrix: the same words where they lie on its plane. maps: name -> (n, 2)."""
    figure = Figure(figsize=(7 * len(maps), 6.5), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(maps)))
    for panel, (name, points) in zip(panels, maps.items(), strict=True):
        panel.scatter(*points.T, s=12, color=BLUE)
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
        panel.set_xlabel("first principal component (units of E)", fontsize=13)
        panel.set_ylabel("second principal component (units of E)", fontsize=13)
        panel.tick_params(labelsize=11)
        panel.margins(x=0.12)
    figure.suptitle("Words used alike lie together: the plane of the widest spread", fontsize=16)
    return figure
