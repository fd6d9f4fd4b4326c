"""Times one training step of tinytie beside whatever frameworks are installed.

    python tests/benchmarks/speed.py [--shapes ptb wide] [--rounds 15] [--json] [--figure FILE]

Each contender runs in a process of its own; all processes of a shape are alive together and take
turns, a fraction of a second each, so that a slow moment of the machine meets all of them. Ratios
are taken turn by turn against tinytie and their median is shown; above 1, tinytie is faster.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from steps import CONTENDERS, MISSING, SHAPES

from tinytie.experiments.record import environment
from tinytie.plots.style import house_style, new_figure, save

HERE = Path(__file__).parent
TURN = 0.3  # seconds
NEEDS = {"PyTorch eager": "torch", "torch.compile": "torch", "JAX jit": "jax"}
WIDE = {"tinytie, AVX-512": {"OPENBLAS_CORETYPE": "SkylakeX"}}  # the same, with other BLAS kernels


class Worker:
    """A contender's process: `run(steps)` answers the seconds a step took."""

    def __init__(self, contender, shape, threads):
        command = [sys.executable, str(HERE / "worker.py"), contender, shape, str(threads)]
        kernels = os.environ | WIDE.get(contender, {})
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE, env=kernels
        )
        self.losses = self.answer()
        self.steps = max(1, round(TURN / self.run(1)))

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args[2:4]} ended without an answer")
        return json.loads(line)

    def run(self, steps):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        return self.answer()

    def turn(self):
        return self.run(self.steps)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def available():
    """The contenders whose packages are installed, and wider kernels where they are not in use."""
    wider = environment()["hint"] is not None
    return [
        contender
        for contender in CONTENDERS
        if contender not in NEEDS or importlib.util.find_spec(NEEDS[contender])
        if contender not in WIDE or wider
    ]


def agree(losses):
    """Whether all contenders that have a loss saw the same three first losses."""
    ours = losses["tinytie"]
    others = [values for values in losses.values() if values[0] is not None]
    return all(
        abs(a - b) < 1e-3 * a for values in others for a, b in zip(ours, values, strict=True)
    )


def measure(shape, contenders, rounds, threads):
    """{contender: {"ms": median of a step, "ratio": median of its time over tinytie's}}"""
    workers = {}
    contenders = [c for c in contenders if (c, shape) not in MISSING]
    try:
        for contender in contenders:
            workers[contender] = Worker(contender, shape, threads)
        losses = {contender: worker.losses for contender, worker in workers.items()}
        if not agree(losses):
            raise RuntimeError(f"the contenders disagree on the loss at {shape}: {losses}")
        turns = [{c: worker.turn() for c, worker in workers.items()} for _ in range(rounds)]
    finally:
        for worker in workers.values():
            worker.stop()
    return {
        c: {
            "ms": 1e3 * median(turn[c] for turn in turns),
            "ratio": median(turn[c] / turn["tinytie"] for turn in turns),
        }
        for c in contenders
    }


def table(results, contenders):
    """A Markdown table: milliseconds a step, and the ratio to tinytie in brackets."""
    head = ["shape", "V", "H", "T", "B", *contenders]
    lines = [" | ".join(head), " | ".join(["---"] + ["---:"] * (len(head) - 1))]
    for name, cells in results.items():
        row = [name, *map(str, SHAPES[name][:4])]
        row += [
            f"{cells[c]['ms']:.3g} ({cells[c]['ratio']:.2f})" if c in cells else ""
            for c in contenders
        ]
        lines.append(" | ".join(row))
    return "\n".join(f"| {line} |" for line in lines)


def figure(results, contenders, path):
    """Bars of time relative to tinytie's, a group a shape."""
    save(bars(results, contenders), path)


@house_style
def bars(results, contenders):
    """The figure; where a contender was not measured, it says so."""
    drawing, (axes,) = new_figure("One training step: above 1, tinytie is faster")
    colours = ["#000000", "#CC79A7", "#D55E00", "#999933", "#BBBBBB", "#56B4E9"]
    width = 0.8 / len(contenders)
    for i, (contender, colour) in enumerate(zip(contenders, colours, strict=False)):
        for n, cells in enumerate(results.values()):
            place = n + (i - (len(contenders) - 1) / 2) * width
            label = contender if n == 0 else None
            height = cells[contender]["ratio"] if contender in cells else 0
            axes.bar(place, height, width, label=label, color=colour, edgecolor="white")
            if contender not in cells:
                look = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": 13}
                axes.text(place, 0.02, f"{contender}: not measured", **look)
    axes.set_xticks(range(len(results)), list(results))
    axes.set_ylabel("time of a step, relative to tinytie")
    axes.axhline(1, color="black", linewidth=1.5)
    axes.legend(ncols=2, loc="upper right")
    axes.margins(y=0.1)
    return drawing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, default=available())
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--figure", type=Path, help="save bars as PNG")
    parser.add_argument("--json", action="store_true", help="the numbers as the last line")
    args = parser.parse_args()
    contenders = list(dict.fromkeys(["tinytie", *args.contenders]))
    results = {}
    for shape in args.shapes:
        print(f"{shape}: {', '.join(contenders)}", file=sys.stderr, flush=True)
        results[shape] = measure(shape, contenders, args.rounds, args.threads)
    print(table(results, contenders))
    machine = environment()
    blas = machine["blas"]
    print(
        f"{machine['processor']}, {args.threads} threads; numpy {machine['numpy']} with "
        f"{blas['name']} {blas['version']}, {blas['kernel']} kernels"
    )
    if machine["hint"]:
        print(machine["hint"])
    if args.figure:
        figure(results, contenders, args.figure)
    if args.json:
        print(json.dumps({"environment": machine, "threads": args.threads, "shapes": results}))


if __name__ == "__main__":
    main()
