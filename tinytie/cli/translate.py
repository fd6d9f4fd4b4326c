"""`tinytie translate`: one, two or three token matrices in a translator, and what tying did."""

import argparse
import time

from tinytie.cli.figures import save_figure
from tinytie.cli.last_line import print_json
from tinytie.cli.options import few
from tinytie.cli.pairs import (
    QUICK_EPOCHS,
    QUICK_PAIRS,
    add_pair_arguments,
    add_training_arguments,
    options_from,
    texts_from,
)
from tinytie.cli.places import folder_for_results, place
from tinytie.cli.progress import Progress, epoch_line, step_line
from tinytie.cli.table import table
from tinytie.experiments.record import finite, run_record, write_record
from tinytie.experiments.translate import TranslationRun, run_translation
from tinytie.experiments.translation_text import prepare
from tinytie.experiments.workers import cores
from tinytie.measure.perplexity import perplexity
from tinytie.measure.translation import attention_map
from tinytie.models.translator import TYINGS
from tinytie.printable import printable
from tinytie.training.trainer import Epoch

HELP = "train a translator with one, two and three token matrices, and show what tying does"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pair_arguments(parser)
    add_training_arguments(parser)
    parser.add_argument(
        "--quick", action="store_true",
        help=f"a ten-second look: {QUICK_EPOCHS} epochs, and {QUICK_PAIRS:,} pairs of numbers",
    )  # fmt: skip
    parser.add_argument(
        "--processes", type=few, default=cores(), metavar="N",
        help="tyings side by side (one for each processor)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=place, metavar="DIR", help="where to save (runs/translate-<time>)"
    )
    parser.add_argument(
        "--resume", action="store_true",
        help="go on where an earlier run with the same arguments and --out was stopped",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the summary as the last line")


def run(args: argparse.Namespace) -> int:
    options, texts = options_from(args), texts_from(args)
    if args.resume and not args.out:
        raise ValueError("--resume needs --out DIR, the folder of the run that was stopped")
    data = prepare(texts, options.merges)
    folder = folder_for_results(args.out or time.strftime("runs/translate-%Y%m%d-%H%M%S"))
    print(describe(data), flush=True)
    with Progress() as progress:
        listener = Listener(options.epochs, progress)
        runs = run_translation(
            data, options, folder, args.processes, resume=args.resume, report=listener
        )
    print(results_table(runs))
    print("perplexity is of the validation pairs; exact and BLEU of greedy test translations;")
    print("seconds are of one processor" + ", since this resumption" * args.resume)
    print("One seed is a look, not a result: another seed may turn small differences round.")
    record = summary(options, data, runs)
    record["files"] = save_all(folder, data, runs, record)
    print("\nsaved: " + printable(", ".join(record["files"].values())))
    if args.json:
        print_json(record)
    return 0


def describe(data):
    """Two lines on the text."""
    train, valid, test = map(len, data.texts)
    return (
        f"{train:,} pairs to train on, {valid:,} to validate, {test:,} to test\n"
        f"one vocabulary of {data.bpe.vocab_size:,} subwords for both languages; of those in use, "
        f"both use {data.shared:.1%}"
    )


class Listener:
    """Turns the events of all tyings into progress, with the time that is left for all of them."""

    def __init__(self, epochs, progress):
        self.epochs, self.progress = epochs, progress
        self.done = [0.0] * len(TYINGS)  # the share of each tying that is over

    def __call__(self, i, event):
        tying = list(TYINGS)[i]
        if isinstance(event, TranslationRun):
            self.done[i] = 1.0
            self.progress.note(f"{tying}: {event.score.exact:.1%} exact, {bleu(event)} BLEU")
            return
        ended = isinstance(event, Epoch)
        self.done[i] = (event.epoch + (1 if ended else event.share)) / self.epochs
        left = self.progress.left(sum(self.done) / len(self.done))
        if ended:
            self.progress.note(f"{tying}: {epoch_line(event, self.epochs)}  {left}")
        else:
            self.progress.rewrite(f"{left}  {tying}: {step_line(event, self.epochs)}")


def bleu(run):
    return f"{run.score.bleu:.1f}"


def results_table(runs):
    """One row for each tying."""
    header = ["tying", "matrices", "parameters", "perplexity", "exact", "BLEU", "seconds"]
    rows = [
        [
            run.tying, str(len(run.model.embedding_names)), f"{parameters(run.model):,}",
            f"{perplexity(run.valid_loss):.3f}", f"{run.score.exact:.1%}", bleu(run),
            f"{run.seconds:.0f}",
        ]
        for run in runs
    ]  # fmt: skip
    return table(header, rows)


def parameters(model, names=None):
    """How many numbers the model holds, or only those arrays of it."""
    return sum(model.params[name].size for name in names or model.params)


def summary(options, data, runs):
    """The run as JSON values."""
    sizes = dict(zip(data.texts._fields, map(len, data.texts), strict=True))
    return run_record(options._asdict(), [options.seed]) | {
        "task": "translate",
        "pairs": sizes,
        "vocabulary": data.bpe.vocab_size,
        "shared_subwords": data.shared,
        "arms": [arm_record(run) for run in runs],
    }


def arm_record(run):
    """One row of the table."""
    return {
        "tying": run.tying,
        "parameters": parameters(run.model),
        "embedding_parameters": parameters(run.model, run.model.embedding_names),
        "valid_perplexity": perplexity(run.valid_loss),
        "exact_match": run.score.exact,
        "bleu": run.score.bleu,
        "cpu_seconds": run.seconds,
    }


def save_all(folder, data, runs, record):
    """Both figures and the record with the learning curves; the paths of all files by name."""
    names = {"curves": "curves.png", "attention": "attention.png", "record": "record.json"}
    names |= {run.tying: f"{run.tying}.safetensors" for run in runs}
    files = {
        name: str(folder / file) for name, file in (names | {"subwords": "subwords.json"}).items()
    }
    draw(data, runs, files)
    curves = {"curves": {run.tying: [epoch._asdict() for epoch in run.history] for run in runs}}
    write_record(files["record"], finite(record | {"files": files} | curves))
    return files


def draw(data, runs, files):
    """Learning curves of all, and the attention of the last on a test sentence of middle length."""
    from tinytie.plots.translate import attention_figure, translation_curves  # slow to import

    curves = {run.tying: [perplexity(e.valid_loss) for e in run.history] for run in runs}
    ends = ", ".join(f"{run.tying} {perplexity(run.valid_loss):.3f}" for run in runs)
    title = f"Validation perplexity, best epoch: {ends}"
    save_figure(translation_curves(curves, title), files["curves"])
    sentences = sorted((source for source, _ in data.texts.test), key=len)
    found = attention_map(runs[-1].model, data.bpe, sentences[len(sentences) // 2])
    title = f"What each subword read of the source ({runs[-1].tying})"
    save_figure(attention_figure(*found, title), files["attention"])
