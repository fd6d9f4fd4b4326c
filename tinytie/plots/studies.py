"""Figures of the studies, each from a record."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tinytie.plots.style import BLACK, LOOKUP, MARKERS, SCORES, TIED

RED, BLUE, GREEN = SCORES, TIED, LOOKUP


def dial(record: dict[str, Any]) -> Figure:
    """Likeness of E to both matrices, and perplexity, against the factor on the lookup's path."""
    rows = record["rows"]
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    places = np.arange(len(rows))
    for name, colour, marker in (("E_out", RED, "s"), ("E_in", BLUE, "o")):
        with_bars(left, places, [row[name] for row in rows], colour, marker, f"with {name}")
    with_bars(right, places, [row["test"] for row in rows], BLACK, "D", "tied")
    untied = record["untied"]["test"]["mean"]
    right.axhline(untied, color="0.4", linestyle=":", label="untied")
    left.set(ylim=(-0.1, 1), ylabel="likeness of the tied E (Spearman of distances)")
    right.set(ylabel="test perplexity (words)")
    for ax in (left, right):
        ax.set_xticks(places, [f"{row['k']:g}" for row in rows])
        ax.set_xlabel("k, factor on the lookup's gradient (1 is the true gradient)")
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize=12)
    figure.suptitle("The dial: the more the lookup counts, the more E is like E_in", fontsize=14)
    return figure


def with_bars(ax, places, spreads, colour, marker, label):
    """Means, and bars from the lowest seed to the highest."""
    means = np.array([spread["mean"] for spread in spreads])
    ends = np.array([[f(spread["values"]) for spread in spreads] for f in (min, max)])
    ax.errorbar(places, means, np.abs(ends - means), color=colour, marker=marker, markersize=8,
                linewidth=2, capsize=4, label=label)  # fmt: skip


def cone(record: dict[str, Any]) -> Figure:
    """Perplexity against the mean cosine of rows: a point for each model, optimizer and rate."""
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for ax, tied in zip(panels, (False, True), strict=True):
        for optimizer, colour, marker in (("adam", RED, "o"), ("coupled-adam", BLUE, "^")):
            rows = [r for r in record["rows"] if (r["tied"], r["optimizer"]) == (tied, optimizer)]
            cosines = [row["cosine"]["E" if tied else "E_out"]["mean"] for row in rows]
            tests = [row["test"]["mean"] for row in rows]
            ax.plot(cosines, tests, color=colour, marker=marker, markersize=9, label=optimizer)
            for row, x, y in zip(rows, cosines, tests, strict=True):
                ax.annotate(f"{row['rate']:g}", (x, y), (6, 5), textcoords="offset points")
        ax.set(title="tied, E" if tied else "untied, E_out", xlabel="mean cosine of two rows")
        ax.grid(alpha=0.3)
    panels[0].set_ylabel("test perplexity (words)")
    panels[1].legend(frameon=False, fontsize=12)
    figure.suptitle("The cone, by learning rate: Coupled Adam opens it", fontsize=14)
    return figure


def foretell(record: dict[str, Any]) -> Figure:
    """What tying did to each text, against what its bigrams told."""
    figure = Figure(figsize=(10, 5), layout="constrained")
    ax, names_ax = figure.subplots(1, 2, width_ratios=[3, 1])
    numbers = {row["text"]: i for i, row in enumerate(record["rows"], start=1)}
    kinds = {"made by rule": ("classes", "random", "sums", "numbers"), "written": ("",)}
    left = list(record["rows"])
    for (kind, names), colour, marker in zip(kinds.items(), (BLUE, RED), MARKERS, strict=False):
        rows = [row for row in left if any(name in row["text"] for name in names)]
        left = [row for row in left if row not in rows]
        x = [row["beyond_chance"] for row in rows]
        spreads = [row["tied_minus_untied"] for row in rows]
        means = np.array([spread["mean"] for spread in spreads])
        ends = np.array([[f(spread["values"]) for spread in spreads] for f in (min, max)])
        ax.errorbar(x, means, np.abs(ends - means), color=colour, marker=marker, markersize=8,
                    linestyle="", capsize=3, label=kind)  # fmt: skip
        for row, at, mean in zip(rows, x, means, strict=True):
            number = str(numbers[row["text"]])
            ax.annotate(number, (at, mean), (7, 4), textcoords="offset points", fontsize=11)
    listed = "\n".join(f"{number:2} {name}" for name, number in numbers.items())
    names_ax.text(0, 1, listed, va="top", fontsize=11, linespacing=1.5)
    names_ax.axis("off")
    ax.axhline(0, color="0.4", linewidth=1)
    ax.set_xlim(0, 0.9)
    ax.set_xlabel(
        "overlap of a word's two sides in the text's bigrams, beyond chance (1: the same)"
    )
    ax.set_ylabel("tied − untied at equal width (nats a token)")
    ax.legend(frameon=False, fontsize=12)
    low, high = record["interval"]
    said = f"Spearman {record['spearman']:.2f}, 95 % from {low:.2f} to {high:.2f}"
    figure.suptitle(f"The less both sides share, the more tying costs: {said}", fontsize=13)
    return figure


def between(record: dict[str, Any]) -> Figure:
    """Test perplexity of every member of the family at one budget."""
    rows = record["rows"]
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    ax = figure.subplots()
    for place, row in enumerate(reversed(rows)):
        values = row["test"]["values"]
        ax.plot([min(values), max(values)], [place, place], color="0.6", linewidth=4)
        ax.plot(row["test"]["mean"], place, "o", color=BLUE, markersize=11)
        ax.annotate(f"{row['test']['mean']:.1f}", (row["test"]["mean"], place), (0, 10),
                    textcoords="offset points", ha="center")  # fmt: skip
    ax.set_yticks(range(len(rows)), [f"{r['member']}, D = {r['width']}" for r in reversed(rows)])
    ax.set_ylim(-0.6, len(rows) - 0.3)
    ax.set_xlabel("test perplexity (words); the bar runs from the best seed to the worst")
    ax.grid(axis="x", alpha=0.3)
    budget = max(row["parameters"] for row in rows)
    figure.suptitle(f"Between tied and untied, {budget:,} parameters each", fontsize=14)
    return figure


FIGURES: dict[str, Callable[[dict[str, Any]], Figure]] = {
    "dial": dial, "cone": cone, "foretell": foretell, "foretell-longer": foretell,
    "between": between,
}  # fmt: skip
