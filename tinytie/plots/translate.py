"""Figures of the translation task: what each word read, and how the tyings learn."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.curves import COLOURS, MARKERS, draw_arm, plain_log_scale


def translation_curves(curves: Mapping[str, Sequence[float]], title: str) -> Figure:
    """Validation perplexity after each epoch, one colour and marker for each tying."""
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    ax = figure.subplots()
    for (tying, values), colour, marker in zip(curves.items(), COLOURS, MARKERS, strict=False):
        draw_arm(ax, tying, [values], colour, marker)
    ax.set(xlabel="epoch", ylabel="validation perplexity (subwords, log scale)")
    ax.set_title(title, fontsize=13)
    plain_log_scale(ax)
    ax.legend(title="tying", frameon=False)
    return figure


def attention_figure(
    weights: np.ndarray, source: Sequence[str], target: Sequence[str], title: str
) -> Figure:
    """One row for each subword written, one column for each subword read; dark is much.

    weights (L, S), each row sums to one; source S labels, target L labels.
    """
    height = min(14.0, 2.2 + 0.32 * len(target))
    figure = Figure(figsize=(8, height), layout="constrained")
    ax = figure.subplots()
    image = ax.imshow(weights, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(len(source)), source, rotation=45, ha="left", rotation_mode="anchor")
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_yticks(range(len(target)), target)
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        label.set_parse_math(False)  # a dollar sign is a dollar sign
    ax.set(xlabel="source subword, read", ylabel="target subword, written")
    figure.suptitle(title, fontsize=13)
    figure.colorbar(image, label="attention weight (a row sums to 1)")
    return figure
