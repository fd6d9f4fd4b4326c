"""Figures of the translation task: what each word read, and how the tyings learn."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.curves import draw_arm, plain_log_scale
from tinytie.plots.style import house_style, looks, new_figure


@house_style
def translation_curves(curves: Mapping[str, Sequence[float]], title: str) -> Figure:
    """Validation perplexity after each epoch, one colour and marker for each tying."""
    figure, (ax,) = new_figure(title)
    for tying, look in looks(curves).items():
        draw_arm(ax, tying, [curves[tying]], look)
    ax.set(xlabel="epoch", ylabel="validation perplexity (subwords, log scale)")
    plain_log_scale(ax)
    ax.legend(title="tying", frameon=False)
    return figure


@house_style
def attention_figure(
    weights: np.ndarray, source: Sequence[str], target: Sequence[str], title: str
) -> Figure:
    """One row for each subword written, one column for each subword read; dark is much.

    weights (L, S), each row sums to one; source S labels, target L labels.
    """
    figure, (ax,) = new_figure(title)
    small = {"fontsize": 20 if len(target) < 20 else 13}
    image = ax.imshow(weights, cmap="Purples", vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(
        range(len(source)), source, rotation=45, ha="left", rotation_mode="anchor", **small
    )
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_yticks(range(len(target)), target, **small)
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        label.set_parse_math(False)  # a dollar sign is a dollar sign
    ax.set(xlabel="source subword, read", ylabel="target subword, written")
    figure.colorbar(image, label="attention weight (a row sums to 1)")
    return figure
