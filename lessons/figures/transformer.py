"""The figure of the Transformer: lesson 17."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.style import house_style, legible_on, new_figure


@house_style
def where_attention_looks(A: np.ndarray) -> Figure:
    """A (T, T), row t how place t spreads its look, in a text of three words said in turn."""
    figure, (axes,) = new_figure("Each place looks where the answer stands, and never ahead")
    future = np.triu(np.ones(A.shape, bool), 1)
    image = axes.imshow(np.ma.masked_where(future, A), cmap="Purples", vmin=0, vmax=1)
    for t, j in np.argwhere(~future):
        said = f"{A[t, j]:.1f}".lstrip("0") if A[t, j] >= 0.05 else "·"
        ink = legible_on(image.cmap(image.norm(A[t, j])))
        axes.text(j, t, said, ha="center", va="center", color=ink, fontsize=22)
    places = [f"{'abc'[t % 3]}{t + 1}" for t in range(len(A))]
    axes.set_xticks(range(len(A)), places)
    axes.set_yticks(range(len(A)), places)
    axes.set_xlabel("looks at place")
    axes.set_ylabel("place t, asked for word t + 1")
    figure.colorbar(image, ax=axes, label="attention weight (rows sum to 1)")
    return figure
