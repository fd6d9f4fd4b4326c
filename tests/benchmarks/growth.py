"""How time and memory grow with V, D, T, B and the number of layers.

    python tests/benchmarks/growth.py [--rounds 9] [--json] [--figure FILE]

One size at a time is doubled from a middle point; the exponent is the slope of log(time of a step)
against log(size) over the three largest sizes. Linear is 1; in D, where the state's product is
D × D and the scores' is V × D, it lies between 1 and 2. Memory is the peak of a step above
parameters and gradients, beside the one array that it must hold: N × V scores.
"""

import argparse
import json
import sys
import time
import tracemalloc
from pathlib import Path
from statistics import median

import numpy as np

import tinytie
from tinytie.experiments.record import environment

MIDDLE = {"V": 4000, "D": 128, "T": 20, "B": 20, "layers": 1}
SIZES = {
    "V": [1000, 2000, 4000, 8000, 16000],
    "D": [32, 64, 128, 256, 512],
    "T": [5, 10, 20, 40, 80],
    "B": [5, 10, 20, 40, 80],
    "layers": [1, 2, 4, 8],
}


def step_of(V, D, T, B, layers):
    """A training step without the update, and its model."""
    model = tinytie.RNNLM(V, D, n_layers=layers, dtype=np.float32, rng=0)
    x, y = np.random.default_rng(1).integers(V, size=(2, B, T))
    return model, lambda: model.loss_and_grads(x, y, paths=False)


def seconds(step, rounds):
    step()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return median(times)


def peak_bytes(step):
    """The most that a step holds at once, above what was there before it."""
    tracemalloc.start()
    step()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def measure(axis, size, rounds):
    """One point: seconds a step, microseconds a token, and bytes."""
    sizes = MIDDLE | {axis: size}
    model, step = step_of(**sizes)
    tokens = sizes["B"] * sizes["T"]
    peak = peak_bytes(step)  # of the first step: later ones find the scores' memory
    time_of_step = seconds(step, rounds)
    return {
        "size": size,
        "ms": 1e3 * time_of_step,
        "us_a_token": 1e6 * time_of_step / tokens,
        "peak_MB": (peak - sum(a.nbytes for a in model.params.values())) / 1e6,
        "scores_MB": 4 * tokens * sizes["V"] / 1e6,
    }


def exponent(points):
    """The slope of log time against log size over the three largest."""
    sizes, times = zip(*((p["size"], p["ms"]) for p in points[-3:]), strict=True)
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def table(results):
    lines = [
        "| size | value | ms a step | µs a token | peak MB | of it scores, MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for axis, points in results.items():
        for p in points:
            lines.append(
                f"| {axis} | {p['size']} | {p['ms']:.2f} | {p['us_a_token']:.1f} "
                f"| {p['peak_MB']:.1f} | {p['scores_MB']:.1f} |"
            )
        lines.append(f"| {axis} | exponent | {exponent(points):.2f} | | | |")
    return "\n".join(lines)


def figure(results, path):
    """Time of a step against each size, relative to the middle point, on log axes."""
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(8, 5), layout="constrained")
    axes = drawing.add_subplot()
    styles = zip(["#000000", "#E69F00", "#56B4E9", "#009E73", "#CC79A7"], "osD^v", strict=True)
    for (axis, points), (colour, marker) in zip(results.items(), styles, strict=True):
        middle = next(p for p in points if p["size"] == MIDDLE[axis])
        sizes = [p["size"] / middle["size"] for p in points]
        times = [p["ms"] / middle["ms"] for p in points]
        label = f"{axis}: exponent {exponent(points):.2f}"
        axes.loglog(sizes, times, marker=marker, color=colour, label=label, base=2)
    axes.plot([1 / 4, 8], [1 / 4, 8], color="grey", linestyle=":", label="linear")
    axes.set_xlabel("size, relative to the middle point", fontsize=13)
    axes.set_ylabel("time of a step, relative to the middle", fontsize=13)
    axes.set_title("A step's time grows about linearly with V, T and B", fontsize=14)
    axes.legend(fontsize=11)
    drawing.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--figure", type=Path, help="save the curves as PNG")
    parser.add_argument("--json", action="store_true", help="the numbers as the last line")
    args = parser.parse_args()
    results = {}
    for axis, sizes in SIZES.items():
        print(f"{axis}: {sizes}", file=sys.stderr, flush=True)
        results[axis] = [measure(axis, size, args.rounds) for size in sizes]
    print(table(results))
    if args.figure:
        figure(results, args.figure)
    if args.json:
        print(json.dumps({"environment": environment(), "middle": MIDDLE, "sizes": results}))


if __name__ == "__main__":
    main()
