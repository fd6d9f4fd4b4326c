"""Figures of the gradient check."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tinytie.gradcheck import Report
from tinytie.gradcheck.diagnosis.pictures import Residual

KINDS = {  # kind -> colour (Okabe and Ito), marker, line
    "forward": ("#D55E00", "s", "--"),
    "central": ("#0072B2", "o", "-"),
    "extrapolated (h, h/2)": ("#009E73", "^", "-."),
    "central, float32": ("#CC79A7", "x", ":"),
}


def error_against_step(
    errors: dict[str, np.ndarray], steps: np.ndarray, name: str = "dE"
) -> Figure:
    """Relative error of each kind of difference against the step, both on logarithmic axes."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for kind, values in errors.items():
        colour, marker, line = KINDS[kind]
        shown = np.maximum(values, 1e-17)
        axes.loglog(steps, shown, color=colour, marker=marker, linestyle=line, label=kind)
    axes.axvline(1e-5, color="0.5", linewidth=1)
    axes.text(
        1.2e-5, 0.97, "1e-5, the check's step", transform=axes.get_xaxis_transform(), va="top",
        color="0.3", fontsize=11,
    )  # fmt: skip
    axes.set_xlabel("step h", fontsize=13)
    axes.set_ylabel(f"max |numeric − analytic| / max |{name}|", fontsize=13)
    axes.set_title("Too large a step bends, too small a step drowns in rounding", fontsize=14)
    axes.tick_params(labelsize=12)
    axes.grid(True, color="0.9")
    axes.legend(fontsize=12)
    return figure


def residual_heat_map(found: Residual, words: Any = None) -> Figure:
    """numeric − analytic of E beside dE_in and dE_out: a lost path shows as the same picture."""
    figure = Figure(figsize=(10, 5), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    titles = ("residual: numeric − analytic", "dE_in, through the lookup",
              "dE_out, through the scores")  # fmt: skip
    limit = max(np.abs(found.input).max(), np.abs(found.output).max())
    for panel, values, title in zip(axes, found, titles, strict=True):
        image = panel.imshow(values, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto")
        panel.set_title(title, fontsize=13)
        panel.set_xlabel("column of E", fontsize=12)
        panel.tick_params(labelsize=11)
        panel.set_xticks(range(values.shape[1]))
        write_values(panel, values, limit)
    axes[0].set_ylabel("token id, the row of E" if words is None else "token", fontsize=12)
    rows = range(len(found.residual))
    axes[0].set_yticks(rows, [str(row) for row in rows] if words is None else list(words))
    figure.colorbar(image, ax=axes, label="gradient (nats per unit of E)")
    figure.suptitle(message(found), fontsize=14)
    return figure


def write_values(panel, values, limit):
    """The numbers that count, in small matrices: the sign must not hang on the colour alone."""
    if values.size > 200:
        return
    for (row, column), value in np.ndenumerate(values):
        if abs(value) > 0.05 * limit:
            colour = "white" if abs(value) > 0.6 * limit else "black"
            panel.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour)


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


def wrong_entries(report: Report) -> Figure:
    """What was given beside what is right, and their difference, of each array that FAILs."""
    if not report.wrong:
        raise ValueError("there is nothing to draw: nothing is wrong that was measured by entries")
    shown = list(report.wrong.items())[:4]
    figure = Figure(figsize=(10, 0.6 + 2.9 * len(shown)), layout="constrained")
    rows = figure.subplots(len(shown), 3, squeeze=False)
    for panels, (name, (given, right)) in zip(rows, shown, strict=True):
        matrices = [as_matrix(a) for a in (given, right, given - right)]
        limit = max(np.abs(matrix).max() for matrix in matrices) or 1.0
        for panel, matrix, title in zip(
            panels, matrices, (f"{name} as given", "as measured", "given − measured"), strict=True
        ):
            image = panel.imshow(matrix, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto")
            panel.set_title(title, fontsize=13)
            panel.tick_params(labelsize=11)
            write_values(panel, matrix, limit)
        figure.colorbar(image, ax=list(panels))
    figure.suptitle(report.cause or "cause: not known", fontsize=14)
    return figure


def as_matrix(array):
    """Two axes to be drawn: a vector as one row, more axes flattened into columns."""
    return array.reshape(len(array), -1) if array.ndim > 1 else array.reshape(1, -1)
