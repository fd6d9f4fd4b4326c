"""Press and Wolf 2017, "Using the Output Embedding to Improve Language Models", the small model.

Two LSTM layers of 200 without dropout; the loss summed over T = 20 steps, averaged over B = 20
rows; SGD at rate 1.0 for five epochs, then halved after each; the gradient clipped at norm 5.
Test perplexity is that of the last epoch's parameters, in one row over the whole text.
"""

from tinytie.experiments.recipes.recipe import Published, Recipe, Row, Settings

ROWS = [
    Row(
        "base", "untied", {"tied": False},
        Published(4_651_600, 38.0, 120.7, 114.5, (114.5, 115.1)),
    ),
    Row(
        "wt", "tied", {"tied": True},
        Published(2_651_600, 36.4, 117.5, 112.4, (110.3, 110.3)),
    ),
    Row(
        "pr", "untied, regularized projection", {"tied": False, "projection": True},
        Published(4_691_800, 50.8, 116.0, 111.7, (110.1, 110.0)), regularized=True,
    ),
    Row(
        "wt+pr", "tied, regularized projection", {"tied": True, "projection": True},
        Published(2_691_800, 53.5, 104.9, 100.9, (103.1, 102.9)), regularized=True,
    ),
    Row("budget", "untied, as many parameters as wt", {"tied": False}, budget_of={"tied": True}),
]  # fmt: skip

PRESS_WOLF = Recipe(
    "press-wolf", "Press and Wolf 2017, small model", Settings(),
    {row.name: row for row in ROWS}, ("base", "wt", "pr", "wt+pr"),
)  # fmt: skip
