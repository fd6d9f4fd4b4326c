"""The figure of the low-rank view."""

from matplotlib.figure import Figure

from tinytie.measure.lowrank import Spectrum

LOOKS = [  # colour (Okabe and Ito), marker
    ("#0072B2", "o"), ("#D55E00", "^"), ("#009E73", "s"), ("#CC79A7", "D"),
]  # fmt: skip


def spectra(named: dict[str, Spectrum]) -> Figure:
    """Singular values of V × V matrices by rank, each over its largest; zeros at the bottom."""
    if not all(spectrum.rank for spectrum in named.values()):
        raise ValueError("a matrix of zeros has no direction to show")
    figure = Figure(figsize=(8, 5), dpi=100, layout="constrained")
    axes = figure.subplots()
    relative = {name: s.values[: s.rank] / s.values[0] for name, s in named.items()}
    floor = 0.1 * min(values[-1] for values in relative.values())  # stands for zero
    for (name, values), (color, marker) in zip(relative.items(), LOOKS, strict=False):
        rank, size = len(values), named[name].size
        axes.plot(
            [*range(1, rank + 1), rank + 1, size], [*values, floor, floor], color=color,
            marker=marker, markersize=6, markevery=range(0, rank, 1 + rank // 16),
            label=f"{name}: rank {rank:,} of {size:,}",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(floor / 2, 3)
    axes.text(1, 1.15 * floor, "this line is zero", color="0.3", fontsize=12)
    axes.axhline(floor, color="0.6", linewidth=1, linestyle=":")
    axes.set_xlabel("number of the singular value, the largest first", fontsize=13)
    axes.set_ylabel("value over the largest", fontsize=13)
    axes.set_title(message(named), fontsize=14)
    axes.tick_params(labelsize=12)
    axes.grid(True, color="0.9")
    figure.legend(loc="outside lower center", ncols=2, fontsize=11)
    return figure


def message(named):
    """What the figure shows."""
    largest = max(named.values(), key=lambda spectrum: spectrum.rank)
    return f"{largest.size:,} words, but no more than {largest.rank:,} directions between them"
