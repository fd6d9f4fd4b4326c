"""`tinytie compare`: an untied and two tied models on the same text, and what tying did."""

import argparse
import time

from tinytie.cli.figures import save_figure
from tinytie.cli.last_line import print_json
from tinytie.cli.options import (
    add_model_arguments,
    add_text_arguments,
    corpus_from,
    describe_corpus,
    few,
    options_from,
)
from tinytie.cli.places import folder_for_results, place
from tinytie.cli.printable import printable
from tinytie.cli.progress import Progress, epoch_line, step_line
from tinytie.cli.table import table
from tinytie.experiments.experiment import NAMES, Job, Run, jobs_of
from tinytie.experiments.record import finite, write_record
from tinytie.experiments.results import curves_record, summary
from tinytie.experiments.summary import sentence, summarize
from tinytie.experiments.workers import cores, run_all
from tinytie.files.checkpoint import save
from tinytie.measure.perplexity import perplexity
from tinytie.training.trainer import Epoch, Step

HELP = "train untied and tied models on the same text, several seeds, and show what tying does"

SEEDS, QUICK_SEEDS, QUICK_EPOCHS = 3, 1, 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--task", choices=("language", "translate"), default="language",
        help="language models (default), or translators: `compare --task translate` is "
        "`tinytie translate`, with its arguments",
    )  # fmt: skip
    add_text_arguments(parser)
    add_model_arguments(parser)
    parser.add_argument("--seeds", type=few, metavar="N", help=f"runs an arm ({SEEDS})")
    parser.add_argument(
        "--quick", action="store_true",
        help=f"a ten-second look: {QUICK_SEEDS} seed and {QUICK_EPOCHS} epochs",
    )  # fmt: skip
    parser.add_argument(
        "--processes", type=few, default=cores(), metavar="N",
        help="runs side by side (one for each processor)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=place, metavar="DIR", help="where to save (runs/compare-<time>)"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as the last line")


def run(args: argparse.Namespace) -> int:
    if args.quick:
        args.seeds = args.seeds or QUICK_SEEDS
        args.epochs = args.epochs or QUICK_EPOCHS
        print("A quick look: too short, and too few seeds, to conclude anything.")
    seeds = args.seeds or SEEDS
    corpus, options = corpus_from(args), options_from(args)
    print(describe_corpus(corpus), flush=True)
    jobs = jobs_of(options, corpus, seeds)
    folder = folder_for_results(args.out or time.strftime("runs/compare-%Y%m%d-%H%M%S"))
    with Progress() as progress:
        runs = run_all(jobs, args.processes, Listener(jobs, progress))
    results = summarize(runs)
    print(
        "\nperplexity on each text" + (f", mean ± deviation of {seeds} seeds" if seeds > 1 else "")
    )
    print(results_table(results))
    print("seconds are those of one processor, for one run")
    print_floor(corpus)
    print("\n" + sentence(results))
    record = summary(options, corpus, seeds, results)
    record["files"] = save_all(folder, corpus, runs, results, record)
    print("\nsaved: " + printable(", ".join(record["files"].values())))
    if args.json:
        print_json(record)
    return 0


class Listener:
    """Turns the events of all runs into progress."""

    def __init__(self, jobs: list[Job], progress: Progress) -> None:
        self.jobs, self.progress = jobs, progress
        self.done = [0.0] * len(jobs)  # the share of each run that is over
        self.ended = 0

    def __call__(self, i: int, event: Step | Epoch | Run) -> None:
        job = self.jobs[i]
        if isinstance(event, Run):
            self.done[i] = 1.0
            self.ended += 1
            self.progress.note(f"{self.ended}/{len(self.jobs)}  {run_line(event)}")
            return
        epochs = job.options.epochs
        if isinstance(event, Epoch):
            self.done[i] = (event.epoch + 1) / epochs
            line = epoch_line(event, epochs)
        else:
            self.done[i] = (event.epoch + event.share) / epochs
            line = step_line(event, epochs)
        left = self.progress.left(sum(self.done) / len(self.done))
        self.progress.rewrite(f"{self.ended}/{len(self.jobs)}  {left}  {job.label}: {line}")


def run_line(run):
    """One run that has ended."""
    return (
        f"{run.label}: best validation perplexity "
        f"{perplexity(run.valid_loss):.1f} after {len(run.history)} epochs"
    )


def results_table(results):
    """One row for each arm."""
    header = [
        "model", "width", "parameters", "embedding", "train", "valid", "test", "seconds"
    ]  # fmt: skip
    rows = [
        [
            r.arm.name, str(r.arm.width), f"{r.parameters:,}", f"{r.embedding:,}",
            str(r.train), str(r.valid), str(r.test), f"{r.seconds:.1f}",
        ]
        for r in results
    ]  # fmt: skip
    return table(header, rows)


def print_floor(corpus):
    """Where the language is known: how well it can be predicted at all."""
    if corpus.entropy is not None and corpus.test_entropy is not None:
        print(
            f"best reachable perplexity: {perplexity(corpus.entropy):.1f}, from the entropy of the "
            f"language; {perplexity(corpus.test_entropy):.1f} on just this test text, by the "
            "language's own probabilities"
        )


def save_all(folder, corpus, runs, results, record):
    """The figure, the record with all learning curves, and the best model; their paths by name."""
    files = {
        "figure": str(folder / "curves.png"),
        "record": str(folder / "record.json"),
        "model": str(folder / "best.safetensors"),
    }
    best = min(runs, key=lambda run: run.valid_loss)
    save(
        files["model"], best.model,
        vocabulary=corpus.vocabulary.words, tokenizer=corpus.tokenizer,
    )  # fmt: skip
    save_figure(figure_of(corpus, runs), files["figure"])
    record["best_model"] = best.label
    curves = {"runs": [curves_record(run) for run in runs]}
    write_record(files["record"], finite(record | {"files": files} | curves))
    return files


def figure_of(corpus, runs):
    """The learning curves of all runs."""
    from tinytie.plots.curves import learning_curves  # matplotlib is slow to import

    def curves(part):
        return {
            name: [
                [perplexity(getattr(epoch, part)) for epoch in run.history]
                for run in runs
                if run.arm.name == name
            ]
            for name in NAMES
        }

    floor = None if corpus.entropy is None else perplexity(corpus.entropy)
    return learning_curves(curves("train_loss"), curves("valid_loss"), floor=floor)
