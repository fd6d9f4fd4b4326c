"""The table: what came out here, beside what was published."""

from collections.abc import Iterable
from typing import Any

from tinytie.experiments.recipes.recipe import Published, Recipe
from tinytie.experiments.recipes.spans import Spans

PARTS = ("train", "valid", "test")
NOTHING = Published(None, None, None, None)


def table(recipe: Recipe, records: Iterable[dict[str, Any]], penn_treebank: bool) -> str:
    """A line for each record: parameters and perplexities of this run, then the published ones."""
    head = ["parameters", *PARTS]
    where = "published" if penn_treebank else "published for the Penn Treebank, not run here"
    lines = [
        f"{'':8}{'this run':^38}  | {where}",
        line("row", head, [*head, "test of others"]),
    ]
    for record in records:
        said = recipe.rows[record["row"]].published or NOTHING
        others = " ".join(f"{test:.1f}" for test in said.reproduced)
        lines.append(line(record["row"], cells(record), [*cells(said._asdict()), others]))
    if not penn_treebank:
        lines.append("The two halves are of different texts: compare the rows of each half.")
    return "\n".join(lines)


def cells(numbers):
    """Parameters and the three perplexities as text; - where there is none."""
    count = numbers["parameters"]
    shown = ["-" if numbers[part] is None else f"{numbers[part]:.1f}" for part in PARTS]
    return ["-" if count is None else f"{count:,}", *shown]


def line(name, ours, theirs):
    """One line, in columns."""
    halves = (
        f"{half[0]:>11}" + "".join(f"{cell:>9}" for cell in half[1:4]) for half in (ours, theirs)
    )
    return f"{name:8}{'  | '.join(halves)}  {''.join(theirs[4:])}".rstrip()


SPANS_HEAD = f"{'β':>6}{'distance of the spans':>24}{'E_out outside span(E_in)':>27}{'valid':>9}"


def spans_line(spans: Spans) -> str:
    """One β, under `SPANS_HEAD`."""
    return f"{spans.beta:>6g}{spans.distance:>24.3f}{spans.residual:>27.3f}{spans.valid:>9.1f}"
