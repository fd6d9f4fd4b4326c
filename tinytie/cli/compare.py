"""`tinytie compare`: models that differ in their tying alone, side by side, and what tying did."""

import argparse
import time
from pathlib import Path
from typing import Any

from tinytie.cli import language, translation
from tinytie.cli.files import folder_for_results, folder_name
from tinytie.cli.options import declare, declare_options, few, refuse
from tinytie.cli.progress import Listener, Progress
from tinytie.experiments.workers import cores, run_all
from tinytie.printable import printable

HELP = "train untied and tied models on the same text, several seeds, and show what tying does"
EXAMPLE = "tinytie compare --quick"

TASKS: dict[str, Any] = {"language": language.Comparison, "translate": translation.Comparison}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--task", choices=TASKS, default="language",
        help="language models (default), or translators, as `tinytie translate` does",
    )  # fmt: skip
    for name, task in TASKS.items():
        declare(parser.add_argument_group(f"of --task {name}"), task.OWN)
    defaults = [default for task in TASKS.values() for default in task.DEFAULTS]
    group = "model and training (defaults: language models, translators of numbers, of files)"
    declare_options(parser.add_argument_group(group), defaults)
    declare(parser, {
        "quick": (bool, "a twenty-second look: one seed, fewer epochs, fewer numbers"),
        "processes": (few, f"runs side by side, one for each processor ({cores()})"),
        "out": (folder_name, "the folder to save in (runs/<command>-<time>)"),
    })  # fmt: skip


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

        def side_by_side(jobs):
            listener = Listener(progress, jobs, comparison.ended, comparison.LINE_AN_EPOCH)
            return run_all(jobs, args.processes or cores(), listener)

        jobs, runs = comparison.run(jobs, side_by_side)
    record = comparison.show(jobs, runs)
    comparison.save(folder, jobs, runs, record)
    print("\nsaved: " + printable(", ".join(record["files"].values())))
    return record, 0
