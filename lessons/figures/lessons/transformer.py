"""The figure of the Transformer: lesson 17."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, ORANGE, new_figure


def where_attention_looks(A: np.ndarray, parts: dict[str, int]) -> Figure:
    """A (T, T), row t how place t spreads its look, beside the number of parameters by part."""
    share = parts["E"] / sum(parts.values())
    title = f"Nobody reads ahead; the token matrix is {share:.0%} of the parameters"
    figure, (left, right) = new_figure(title, 2)
    T = len(A)
    future = np.triu(np.ones(A.shape, bool), 1)
    image = left.imshow(np.ma.masked_where(future, A), cmap="cividis_r", vmin=0, vmax=1)
    for t, j in np.argwhere(~future):
        text = f"{A[t, j]:.1f}".lstrip("0") if A[t, j] >= 0.05 else "·"
        left.text(j, t, text, ha="center", va="center", color="white" if A[t, j] > 0.5 else "black")
    places = [f"{'abc'[t % 3]}{t + 1}" for t in range(T)]
    left.set_xticks(range(T), places, fontsize=11)
    left.set_yticks(range(T), places, fontsize=11)
    left.set_xlabel("looks at place", fontsize=12)
    left.set_ylabel("place t, asked for word t + 1", fontsize=12)
    figure.colorbar(image, ax=left, label="attention weight (rows sum to 1)", shrink=0.8)
    draw_parts(right, parts)
    return figure


def draw_parts(axes, parts):
    """A bar for each part of the model, with its number."""
    colors = [ORANGE if name == "E" else BLUE for name in parts]
    hatches = ["//" if name == "E" else "" for name in parts]
    bars = axes.barh(list(parts), list(parts.values()), color=colors, hatch=hatches, edgecolor="k")
    axes.bar_label(bars, [f"{size:,}" for size in parts.values()], padding=4, fontsize=11)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.45 * max(parts.values()))
    axes.set_xticks([0, 200_000], ["0", "200,000"])
    axes.tick_params(labelsize=11)
    axes.set_xlabel("parameters (numbers)", fontsize=12)
    axes.set_title(f"{sum(parts.values()):,} in all", fontsize=12)
