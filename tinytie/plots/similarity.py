"""Figures of what the rows of an embedding mean."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tinytie.plots.style import BLACK, TIED, house_style, new_figure


@house_style
def word_maps(maps: dict[str, np.ndarray], words: list[str]) -> Figure:
    """One panel a matrix: the same words on its plane. maps: name -> (n, 2).

    Every word is a dot; a word is written where it covers no other.
    """
    title = f"Where the rows of {len(words)} words point, on the plane of their widest spread"
    figure, panels = new_figure(title, len(maps))
    for panel, (name, points) in zip(panels, maps.items(), strict=True):
        panel.scatter(*points.T, s=50, color=TIED)
        panel.set_title(name)
        panel.set_xlabel("first principal component")
        panel.locator_params(nbins=5)
        panel.margins(x=0.2)
        write_where_there_is_room(panel, points, words, len(maps))
    panels[0].set_ylabel("second principal component (rows of length 1)")
    return figure


def write_where_there_is_room(
    panel: Axes, points: np.ndarray, words: list[str], panels: int
) -> None:
    """Each word beside its dot, the first first, unless it would cover one that stands there."""
    spread = np.ptp(points, axis=0) + 1e-12
    places = points / spread * (70 / panels, 36)  # in letters across, and lines
    taken: list[tuple[float, float, int]] = []
    for word, point, (x, y) in zip(words, points, places, strict=True):
        wide = len(word) + 1
        if any(abs(y - v) < 1 and -n < x - u and x - u < n and x + wide > u and u + n > x
               for u, v, n in taken):  # fmt: skip
            continue
        taken.append((x, y, wide))
        text = panel.annotate(
            word, point, (5, 4), textcoords="offset points", fontsize=16, color=BLACK,
            parse_math=False,
        )  # fmt: skip
        text.set_in_layout(False)
