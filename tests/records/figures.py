"""Figures and tables that are made from a record: python tests/records/figures.py [NAME ...]

Each figure goes to .images; the table of a study is printed as it stands in lessons/STUDIES.md.
"""

import json
import sys
from pathlib import Path

from tinytie.experiments.studies import STUDIES
from tinytie.plots import studies
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


FIGURES = {"penn_treebank": penn_treebank, **studies.FIGURES}


def record_of(name):
    """A record, by its name."""
    return json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))


def table_of(name):
    """A study's table in Markdown."""
    study = STUDIES[name]
    rows = [study.line(row) for row in record_of(name)["rows"]]
    rule = ["---", *["---:"] * (len(study.head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [list(study.head), rule, *rows])


def draw(name):
    """The figure of one record, into the README's folder."""
    FIGURES[name](record_of(name)).savefig(IMAGES / f"{name}.png", dpi=110)


if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        draw(name)
        print(table_of(name) + "\n" if name in STUDIES else "")
