"""Figures of scores, probabilities and losses: lesson 03."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.lessons.common import BLUE, GREY, ORANGE, new_figure


def softmax_gradient(
    ds: np.ndarray, words: list[str], target: str, scales: np.ndarray, losses: np.ndarray
) -> Figure:
    """Bars of ŷ − onehot(y) for one place, and the first loss against the size of E's numbers.

    ds (V,); losses (n,) in nats at the standard deviations scales (n,), for 1,000 words.
    """
    figure, (left, right) = new_figure(
        "Every score moves, and a model that knows nothing starts at ln V", 2
    )
    hatches = ["//" if word == target else "" for word in words]
    colors = [ORANGE if word == target else BLUE for word in words]
    left.bar(words, ds, color=colors, hatch=hatches, edgecolor="black")
    left.axhline(0, color="black", linewidth=1)
    left.set_title(f"ŷ − onehot(y), the target is '{target}'", fontsize=12)
    left.set_ylabel("gradient (nats per unit of score)", fontsize=12)
    left.tick_params(axis="x", labelrotation=45, labelsize=12)
    right.loglog(scales, losses, "o-", color=BLUE)
    floor = np.log(1000)
    right.axhline(floor, color=GREY, linestyle="--")
    right.text(scales[0], floor * 0.93, f"ln V = {floor:.2f}", fontsize=12, va="top")
    right.set_yticks([5, 10, 20, 50], ["5", "10", "20", "50"])
    right.set_yticks([], minor=True)
    right.set_ylim(5, 70)
    right.set_title("first loss, V = 1000, before training", fontsize=12)
    right.set_xlabel("standard deviation of E's numbers", fontsize=12)
    right.set_ylabel("loss (nats a word)", fontsize=12)
    return figure
