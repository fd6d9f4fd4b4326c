"""The README's figures that are drawn from a record: python tests/records/figures.py [NAME ...]"""

import json
import sys
from pathlib import Path

from tinytie.plots.curves import learning_curves

RECORDS = Path(__file__).parent
IMAGES = RECORDS.parents[1] / ".images"


def penn_treebank(record):
    """The curves of the four rows, in the legend the last validation perplexity of each."""
    rows = {f"{name}, at last {row['valid']:.1f}": row for name, row in record["rows"].items()}
    train, valid = (
        {name: [[epoch[part] for epoch in row["epochs"]]] for name, row in rows.items()}
        for part in (1, 2)
    )
    return learning_curves(train, valid, "Penn Treebank: the rows with a projection come late")


FIGURES = {function.__name__: function for function in (penn_treebank,)}


def draw(name):
    """The figure of one record, into the README's folder."""
    record = json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))
    FIGURES[name](record).savefig(IMAGES / f"{name}.png", dpi=120)


if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        draw(name)
