"""Translators on the command line: their sentences, and the comparison of the ways to tie them."""

import argparse
from dataclasses import replace

from tinytie.cli.files import file_name, folder_for_results, save_figure
from tinytie.cli.options import Table, options_from
from tinytie.cli.table import table
from tinytie.experiments import translate
from tinytie.experiments.record import finite, write_record
from tinytie.measure.perplexity import perplexity
from tinytie.measure.translation import attention_map
from tinytie.text.pairs import Pair, PairTexts, hold_out, read_aligned, read_pairs

QUICK_EPOCHS, QUICK_PAIRS = 2, 1000

TEXT: Table = {}
for _part, _what in (("", "train"), ("valid_", "validate"), ("test_", "test")):
    TEXT |= {
        f"{_part}pairs": (file_name, f"{_what} on this file: on each line a sentence, a tab, "
                          "its translation"),
        f"{_part}source": (file_name, f"or {_what} on this one"),
        f"{_part}target": (file_name, "and its translation, line by line"),
    }  # fmt: skip
TEXT["reverse"] = (bool, "translate the other way round")


def texts_from(args: argparse.Namespace, seed: int) -> PairTexts:
    """The pairs that the arguments name. Raises ValueError on arguments that contradict."""
    train, valid, test = (part_from(args, part) for part in ("", "valid_", "test_"))
    if train is None:
        if valid or test:
            raise ValueError("give --pairs, or --source and --target, to train on as well")
        texts = translate.number_texts(seed, *((QUICK_PAIRS, 100) if args.quick else ()))
    else:
        texts = hold_out(train, valid, test, seed)
    if args.reverse:
        texts = PairTexts(*([(b, a) for a, b in part] for part in texts))
    return texts


def part_from(args: argparse.Namespace, part: str) -> list[Pair] | None:
    """The pairs to train on, to validate or to test, or None where no file is named."""
    pairs, source, target = (getattr(args, part + name) for name in ("pairs", "source", "target"))
    flag = "--" + part.replace("_", "-")
    if pairs and (source or target):
        raise ValueError(f"give {flag}pairs, or {flag}source and {flag}target, not both")
    if bool(source) != bool(target):
        raise ValueError(f"{flag}source and {flag}target go together, one file for each language")
    if source:
        return read_aligned(source, target)
    return read_pairs(pairs) if pairs else None


class Comparison:
    """One, two and three token matrices; the task "translate" of `tinytie compare`."""

    OWN = TEXT | {"resume": (bool, "go on with an earlier run of the same arguments and --out")}
    DEFAULTS = (translate.TranslationOptions(), translate.FOR_FILES)
    LINE_AN_EPOCH = True

    def __init__(self, args: argparse.Namespace) -> None:
        numbers, files = self.DEFAULTS
        default = files if args.pairs or args.source else numbers
        if args.quick:
            default = replace(default, epochs=QUICK_EPOCHS)
        self.options = options_from(args, default, "--task translate")
        texts = texts_from(args, self.options.seed)
        if args.resume and not args.out:
            raise ValueError("--resume needs --out DIR, the folder of the run that was stopped")
        self.resume, self.data = args.resume, translate.prepare(texts, self.options.merges)

    def describe(self):
        """Two lines on the text."""
        train, valid, test = map(len, self.data.texts)
        return (
            f"{train:,} pairs to train on, {valid:,} to validate, {test:,} to test\n"
            f"one vocabulary of {self.data.bpe.vocab_size:,} subwords for both languages; of those "
            f"in use, both use {self.data.shared:.1%}"
        )

    def jobs(self, folder):
        self.data.bpe.save(folder_for_results(folder) / "subwords.json")
        return translate.jobs_of(self.options, self.data, folder, self.resume)

    def ended(self, run):
        """One tying that has ended."""
        return f"{run.found.exact:.1%} exact, {run.found.bleu:.1f} BLEU"

    def show(self, jobs, runs):
        """The table and how to read it; returns the record."""
        record = translate.record_of(self.options, self.data, runs)
        print(results_table(record["arms"], runs))
        print("perplexity is of the validation pairs; exact and BLEU of greedy test translations;")
        print("seconds are of one processor" + ", since this resumption" * self.resume)
        print("One seed is a look, not a result: another seed may turn small differences round.")
        return record

    def save(self, folder, jobs, runs, record):
        """Both figures and the record with the learning curves; paths by name."""
        names = {"curves": "curves.png", "attention": "attention.png", "record": "record.json"}
        names |= {job.label: job.path.name for job in jobs} | {"subwords": "subwords.json"}
        record["files"] = files = {name: str(folder / file) for name, file in names.items()}
        draw(self.data, runs, files)
        curves = {run.model.tying: [epoch._asdict() for epoch in run.history] for run in runs}
        write_record(files["record"], finite(record | {"curves": curves}))


def results_table(arms, runs):
    """One row for each tying."""
    header = ["tying", "matrices", "parameters", "perplexity", "exact", "BLEU", "seconds"]
    rows = [
        [
            arm["tying"], str(len(run.model.embedding_names)), f"{arm['parameters']:,}",
            f"{arm['valid_perplexity']:.3f}", f"{arm['exact_match']:.1%}", f"{arm['bleu']:.1f}",
            f"{arm['cpu_seconds']:.0f}",
        ]
        for arm, run in zip(arms, runs, strict=True)
    ]  # fmt: skip
    return table(header, rows)


def draw(data, runs, files):
    """Learning curves of all, and the attention of the last on a test sentence of middle length."""
    from tinytie.plots.translate import attention_figure, translation_curves  # slow to import

    named = {run.model.tying: run for run in runs}
    curves = {
        tying: [perplexity(e.valid_loss) for e in run.history] for tying, run in named.items()
    }
    ends = ", ".join(f"{tying} {perplexity(run.valid_loss):.3f}" for tying, run in named.items())
    title = f"Validation perplexity, best epoch: {ends}"
    save_figure(translation_curves(curves, title), files["curves"])
    sentences = sorted((source for source, _ in data.texts.test), key=len)
    found = attention_map(runs[-1].model, data.bpe, sentences[len(sentences) // 2])
    title = f"What each subword read of the source ({runs[-1].model.tying})"
    save_figure(attention_figure(*found, title), files["attention"])
