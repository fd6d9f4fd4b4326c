"""A class at a glance: which exercise was hard, and which mistake frequent."""

import textwrap
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

COLORS = {"passed": "#0072b2", "failed": "#e69f00", "missing": "#bbbbbb", "not graded": "#000000"}
MOST = 8  # mistakes that are shown


def plot_grades(
    names: Sequence[str], statuses: Sequence[Sequence[str]], mistakes: Mapping[str, int]
) -> Figure:
    """Above, students by status for each exercise; below, the frequent mistakes.

    names: of the exercises. statuses: for each student, one of COLORS an exercise.
    mistakes: message -> how often, the most frequent first.
    """
    shown = list(mistakes.items())[:MOST]
    height = 4 + 0.62 * len(shown)
    figure = Figure(figsize=(max(10.0, 0.32 * len(names) + 2), height), layout="constrained")
    above, below = figure.subplots(2, height_ratios=(3.4, 0.6 + 0.62 * len(shown)))
    columns = list(zip(*statuses, strict=True))
    bottom = [0] * len(names)
    for (status, color), hatch in zip(COLORS.items(), ("", "//", "", "xx"), strict=True):
        counts = [column.count(status) for column in columns]
        above.bar(names, counts, bottom=bottom, color=color, hatch=hatch, edgecolor="white",
                  label=status, width=0.85)  # fmt: skip
        bottom = [low + count for low, count in zip(bottom, counts, strict=True)]
    above.set(title=f"{len(statuses)} students", xlabel="exercise", ylabel="students")
    above.tick_params(axis="x", rotation=90 if len(names) > 24 else 0)
    above.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    above.margins(x=0.01)
    draw_mistakes(below, shown)
    return figure


def draw_mistakes(axes, shown):
    """A bar each; the message stands above its bar, so that none is cut off."""
    counts = [count for _, count in shown]
    axes.barh(range(len(shown)), counts, height=0.3, color=COLORS["failed"])
    for i, (message, count) in enumerate(shown):
        said = textwrap.shorten(message.replace("$", r"\$"), 110, placeholder=" …")
        axes.text(0, i - 0.22, said, ha="left", va="bottom", fontsize=11)
        axes.text(count, i, f" {count}", va="center", fontsize=11)
    axes.set(
        title="the most frequent mistakes"
        if shown
        else "no mistakes, but for what is not written yet",
        xticks=[],
        yticks=[],
    )
    axes.set_ylim(len(shown) - 0.5, -0.9)
    axes.spines[:].set_visible(False)
