"""The figure of the low-rank view."""

from matplotlib.figure import Figure

from tinytie.measure.lowrank import Spectrum
from tinytie.plots.style import house_style, looks, new_figure


@house_style
def spectra(named: dict[str, Spectrum]) -> Figure:
    """Singular values of V × V matrices by rank, each over its largest; zeros at the bottom."""
    if not all(spectrum.rank for spectrum in named.values()):
        raise ValueError("a matrix of zeros has no direction to show")
    figure, (axes,) = new_figure(message(named))
    relative = {name: s.values[: s.rank] / s.values[0] for name, s in named.items()}
    floor = 0.1 * min(values[-1] for values in relative.values())  # stands for zero
    for (name, values), look in zip(relative.items(), looks(relative).values(), strict=True):
        rank, size = len(values), named[name].size
        axes.plot(
            [*range(1, rank + 1), rank + 1, size], [*values, floor, floor], **look,
            markevery=range(0, rank, 1 + rank // 16),
            label=f"{name}: rank {rank:,} of {size:,}",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(floor / 2, 3)
    axes.text(1, 1.15 * floor, "this line is zero", color="0.3")
    axes.axhline(floor, color="0.6", linewidth=2, linestyle=":")
    axes.set_xlabel("number of the singular value, the largest first")
    axes.set_ylabel("value over the largest")
    axes.grid(True, color="0.9")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def message(named):
    """What the figure shows."""
    largest = max(named.values(), key=lambda spectrum: spectrum.rank)
    return f"{largest.size:,} words, but no more than {largest.rank:,} directions between them"
