"""Inan, Khosravi and Socher 2017, "Tying Word Vectors and Word Classifiers", 200 units.

Variational dropout with one mask for a layer's output and its state, B = 20, T = 35, SGD from rate
1. AL is the augmented loss, RE the reused embedding: one matrix, and no output bias. The paper
chooses dropout, γ and τ on validation; those below, the decay and the number of epochs are ours.
"""

from tinytie.experiments.recipes.recipe import Published, Recipe, Row, Settings

REUSED = {"tied": True, "output_bias": False}

ROWS = [
    Row("base", "untied", {"tied": False}, Published(None, None, 92.6, 87.3)),
    Row("al", "untied, augmented loss", {"tied": False}, Published(None, None, 86.3, 82.9),
        augmented=True),
    Row("re", "reused embedding", REUSED, Published(None, None, 89.9, 85.1)),
    Row("real", "reused embedding, augmented loss", REUSED, Published(None, None, 86.3, 82.7),
        augmented=True),
]  # fmt: skip

INAN = Recipe(
    "inan", "Inan, Khosravi and Socher 2017, 200 units",
    Settings(steps=35, epochs=40, decay=0.9, dropout=0.3, gamma=0.65, tau=20.0, keep_best=True),
    {row.name: row for row in ROWS}, tuple(row.name for row in ROWS),
)  # fmt: skip
