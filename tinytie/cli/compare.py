"""`tinytie compare`: models that differ in their tying alone, side by side, and what tying did."""

import argparse
import time
from pathlib import Path
from typing import Any

from tinytie.cli import language, translation
from tinytie.cli.files import file_name, folder_for_results
from tinytie.cli.options import add_options, few, refuse
from tinytie.cli.printable import printable
from tinytie.cli.progress import Listener, Progress
from tinytie.experiments.workers import cores, run_all

HELP = "train untied and tied models on the same text, several seeds, and show what tying does"

TASKS: dict[str, Any] = {"language": language.Comparison, "translate": translation.Comparison}
TRAINING = (
    "model", "cell", "width", "hidden", "layers", "heads", "merges", "dropout", "batch_size",
    "steps", "epochs", "patience", "optimizer", "rate", "max_norm", "seed",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--task", choices=TASKS, default="language",
        help="language models (default), or translators, as `tinytie translate` does",
    )  # fmt: skip
    for name, task in TASKS.items():
        add_table(parser.add_argument_group(f"of --task {name}"), task.OWN)
    defaults = [default for task in TASKS.values() for default in task.DEFAULTS]
    group = parser.add_argument_group(
        "model and training (defaults: language models, translators of numbers, of files)"
    )
    add_options(group, TRAINING, defaults)
    parser.add_argument(
        "--quick", action="store_true",
        help=f"a ten-second look: {language.QUICK_SEEDS} seed and {language.QUICK_EPOCHS} epochs; "
        f"translators {translation.QUICK_EPOCHS} epochs on {translation.QUICK_PAIRS:,} numbers",
    )  # fmt: skip
    parser.add_argument(
        "--processes", type=few, default=cores(), metavar="N",
        help="runs side by side (one for each processor)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=file_name, metavar="DIR", help="where to save (runs/<command>-<time>)"
    )


def add_table(group: Any, table: dict[str, dict[str, Any]]) -> None:
    """An argument for each name, with what argparse takes for it."""
    for name, how in table.items():
        group.add_argument(f"--{name.replace('_', '-')}", **how)


def run(args: argparse.Namespace) -> tuple[dict[str, Any], int]:
    for name, other in TASKS.items():
        if name != args.task:
            refuse([own for own in other.OWN if getattr(args, own)], f"--task {args.task}")
    comparison = TASKS[args.task](args)
    print(comparison.describe(), flush=True)
    folder = Path(args.out or time.strftime(f"runs/{args.command}-%Y%m%d-%H%M%S"))
    jobs = comparison.jobs(folder)
    folder_for_results(folder)
    with Progress() as progress:
        listener = Listener(progress, jobs, comparison.ended, comparison.LINE_AN_EPOCH)
        runs = run_all(jobs, args.processes, listener)
    record = comparison.show(jobs, runs)
    comparison.save(folder, jobs, runs, record)
    print("\nsaved: " + printable(", ".join(record["files"].values())))
    return record, 0
