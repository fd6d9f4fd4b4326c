"""Figures of the gradient check."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tinytie.gradcheck import Report
from tinytie.gradcheck.diagnosis.pictures import Residual
from tinytie.plots.style import GREY, OTHERS, heat_map, house_style, new_figure

KINDS = {  # kind -> colour (Okabe and Ito), marker, line
    "forward": (OTHERS[0], "s", "--"),
    "central": (OTHERS[1], "o", "-"),
    "extrapolated (h, h/2)": (OTHERS[2], "^", "-."),
    "central, float32": (OTHERS[4], "v", ":"),
}


@house_style
def error_against_step(
    errors: dict[str, np.ndarray], steps: np.ndarray, name: str = "dE"
) -> Figure:
    """Relative error of each kind of difference against the step, both on logarithmic axes."""
    title = "Too large a step bends, too small a step drowns in rounding"
    figure, (axes,) = new_figure(title)
    for kind, values in errors.items():
        colour, marker, line = KINDS[kind]
        shown = np.maximum(values, 1e-17)
        axes.loglog(steps, shown, color=colour, marker=marker, linestyle=line, label=kind)
    axes.axvline(1e-5, color=GREY, linewidth=2)
    axes.text(
        1.2e-5, 0.97, "1e-5, the check's step", transform=axes.get_xaxis_transform(), va="top"
    )
    axes.set_xlabel("step h")
    axes.set_ylabel(f"max |numeric − analytic| / max |{name}|")
    axes.grid(True, color="0.9")
    axes.legend()
    return figure


@house_style
def residual_heat_map(found: Residual, words: Any = None) -> Figure:
    """numeric − analytic of E beside dE_in and dE_out: a lost path shows as the same picture."""
    figure, axes = new_figure(message(found), 3, sharey=True)
    titles = ("residual: numeric − analytic", "dE_in, through the lookup",
              "dE_out, through the scores")  # fmt: skip
    limit = max(np.abs(found.input).max(), np.abs(found.output).max())
    for panel, values, title in zip(axes, found, titles, strict=True):
        image = heat_map(panel, values, limit, numbers=values.size <= 200)
        panel.set_title(title)
        panel.set_xlabel("column of E")
    axes[0].set_ylabel("token id, the row of E" if words is None else "token")
    rows = range(len(found.residual))
    axes[0].set_yticks(rows, [str(row) for row in rows] if words is None else list(words))
    figure.colorbar(image, ax=axes, label="gradient (nats per unit of E)")
    return figure


def message(found):
    """What the picture shows."""
    worst = np.abs(found.residual).max()
    limit = max(np.abs(found.input).max(), np.abs(found.output).max())
    if worst < 1e-6 * limit:
        return f"Nothing is left over: the largest residual is {worst:.0e}"
    for name in ("input", "output"):
        if np.abs(found.residual - getattr(found, name)).max() < 1e-6 * limit:
            return f"What is missing from dE is the whole {name} path"
    return f"dE is wrong: the largest residual is {worst:.2g}"


@house_style
def wrong_entries(report: Report) -> Figure:
    """What was given beside what is right, and their difference, of each array that FAILs."""
    if not report.wrong:
        raise ValueError("there is nothing to draw: nothing is wrong that was measured by entries")
    shown = list(report.wrong.items())[:3]
    figure, axes = new_figure(report.cause or "cause: not known", 3, len(shown))
    for panels, (name, (given, right)) in zip(axes.reshape(-1, 3), shown, strict=True):
        matrices = [as_matrix(a) for a in (given, right, given - right)]
        limit = max(np.abs(matrix).max() for matrix in matrices) or 1.0
        for panel, matrix, title in zip(
            panels, matrices, (f"{name} as given", "as measured", "given − measured"), strict=True
        ):
            small = matrix.size <= 200 // len(shown)
            image = heat_map(panel, matrix, limit, numbers=small, fontsize=20 - 3 * len(shown))
            panel.set_title(title)
        figure.colorbar(image, ax=list(panels))
    return figure


def as_matrix(array):
    """Two axes to be drawn: a vector as one row, more axes flattened into columns."""
    return array.reshape(len(array), -1) if array.ndim > 1 else array.reshape(1, -1)
