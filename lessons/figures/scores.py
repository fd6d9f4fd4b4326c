"""The figure of the softmax's gradient: lesson 03."""

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.style import BLACK, SCORES, TIED, house_style, new_figure


@house_style
def softmax_gradient(p: np.ndarray, words: list[str], target: str) -> Figure:
    """The probabilities p (V,) of one place, and what is left when 1 is taken away at the target"""
    title = "One score is pushed up, all others down: the bars sum to zero"
    figure, (left, right) = new_figure(title, 2)
    is_target = np.array([word == target for word in words])
    for ax, bars, name in ((left, p, "ŷ"), (right, p - is_target, "ŷ − onehot(y)")):
        drawn = ax.bar(words, bars, color=np.where(is_target, TIED, SCORES), edgecolor="black")
        for bar, here in zip(drawn, is_target, strict=True):
            bar.set_hatch("//" if here else "")
        ax.axhline(0, color=BLACK, linewidth=2)
        ax.set_title(f"{name}, where the target is '{target}'")
        ax.tick_params(axis="x", labelrotation=45)
    left.set_ylabel("probability")
    right.set_ylabel("gradient (nats per unit of score)")
    return figure
