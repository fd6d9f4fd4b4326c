"""Language models on the command line: their text, and the comparison of untied and tied ones."""

import argparse

from tinytie.cli.files import file_name, save_figure
from tinytie.cli.options import Table, few, options_from, positive
from tinytie.cli.table import table
from tinytie.experiments import compare
from tinytie.experiments.record import finite, write_record
from tinytie.files.checkpoint import save
from tinytie.measure.perplexity import perplexity
from tinytie.printable import printable
from tinytie.text.corpora import Corpus, classes_corpus, file_corpus, topics_corpus
from tinytie.text.tokenizers import TOKENIZERS

SEEDS, THOROUGH_SEEDS, QUICK_SEEDS, QUICK_EPOCHS = 3, 5, 1, 5

TEXT: Table = {
    "corpus": (("topics", "classes"), "topics: Python's own language reference, in English "
               "(default); classes: a made-up language whose best perplexity is known"),
    "text": (file_name, "train on this UTF-8 file instead"),
    "valid": (file_name, "and validate on this one"),
    "test": (file_name, "and test on this one; without both, --text is split 80/10/10"),
    "tokenizer": (TOKENIZERS, "what a token is (default: word)"),
    "min_count": (positive, "a token that occurs less often becomes <unk> (default: 3 for words, "
                  "otherwise 1)"),
}  # fmt: skip


def corpus_from(args: argparse.Namespace) -> Corpus:
    """The corpus that the arguments name. Raises ValueError on arguments that contradict."""
    tokenizer = args.tokenizer or "word"
    if args.text is not None:
        if args.corpus is not None:
            raise ValueError("give --corpus or --text FILE, not both")
        return file_corpus(args.text, args.valid, args.test, tokenizer, args.min_count)
    if args.valid or args.test:
        raise ValueError("--valid and --test go with --text FILE, the text to train on")
    if args.corpus != "classes":
        return topics_corpus(tokenizer, args.min_count)
    if args.tokenizer or args.min_count:
        raise ValueError(
            "the classes corpus has its own words; leave out --tokenizer and --min-count"
        )
    return classes_corpus()


def describe_corpus(corpus: Corpus) -> str:
    """One line on the text."""
    unknown = f", {corpus.unknown:.1%} of the test text <unk>" if corpus.unknown else ""
    sizes = [len(part) for part in (corpus.train, corpus.valid, corpus.test)]
    return (
        f"text {printable(corpus.name)}: {sizes[0]:,} tokens to train on, {sizes[1]:,} to "
        f"validate, {sizes[2]:,} to test; {len(corpus.vocabulary):,} in the vocabulary{unknown}"
    )


class Comparison:
    """Untied and tied language models; the task "language" of `tinytie compare`."""

    OWN = TEXT | {
        "seeds": (few, f"runs per arm ({SEEDS})"),
        "thorough": (
            bool,
            f"{THOROUGH_SEEDS} seeds, a wider grid, and epochs until validation "
            "stops falling: many minutes",
        ),
    }
    DEFAULTS = (compare.LanguageOptions(),)
    LINE_AN_EPOCH = False

    def __init__(self, args: argparse.Namespace) -> None:
        if args.quick and args.thorough:
            raise ValueError("--quick and --thorough contradict each other; leave one out")
        usual = QUICK_SEEDS if args.quick else THOROUGH_SEEDS if args.thorough else SEEDS
        self.seeds = args.seeds or usual
        if args.quick:
            args.epochs = args.epochs or QUICK_EPOCHS
            print("A quick look: too short, and too few seeds, to conclude anything.")
        self.corpus = corpus_from(args)
        default = compare.LanguageOptions(**(compare.THOROUGH if args.thorough else {}))
        self.options = options_from(args, default, "--task language")
        grid = {} if args.quick else compare.WIDER_GRID if args.thorough else compare.GRID
        self.grid = {name: values for name, values in grid.items() if vars(args)[name] is None}

    def describe(self):
        return describe_corpus(self.corpus)

    def jobs(self, folder):
        return compare.jobs_of(self.options, self.corpus, self.seeds, self.grid or None)

    def run(self, jobs, run_all):
        """(jobs, runs): with a grid, the further seeds of each arm's best point."""
        runs = run_all(jobs)
        if not self.grid:
            return jobs, runs
        best = compare.chosen(jobs, runs)
        print(
            "lowest validation loss: "
            + "; ".join(
                f"{compare.arm_name(job)} at "
                + compare.told({name: getattr(job.options, name) for name in self.grid})
                for job, _ in best
            ),
            flush=True,
        )
        jobs, runs = map(list, zip(*best, strict=True))
        more = compare.other_seeds(jobs, self.seeds)
        return jobs + more, runs + (run_all(more) if more else [])

    def ended(self, run):
        """One run that has ended."""
        epochs = len(run.history)
        return f"best validation perplexity {perplexity(run.valid_loss):.1f} after {epochs} epochs"

    def show(self, jobs, runs):
        """The table and what it says; returns the record."""
        arms, seeds = compare.summarize(jobs, runs), self.seeds
        mean = f", mean ± deviation of {seeds} seeds" if seeds > 1 else ""
        print(f"\nperplexity on each text{mean}\n{results_table(arms)}")
        print("seconds are those of one processor, for one run")
        record = compare.record_of(self.options, self.corpus, seeds, arms)
        floor = record["corpus"]["best_perplexity"]
        if floor is not None:
            print(
                f"best reachable perplexity: {floor:.1f}, from the entropy of the language; "
                f"{record['corpus']['best_test_perplexity']:.1f} on just this test text, by the "
                "language's own probabilities"
            )
        if seeds > 1:
            print("\n" + compare.paired(arms))
        print("\n" + compare.sentence(arms))
        return record

    def save(self, folder, jobs, runs, record):
        """The figure, the record with all learning curves, and the best model; paths by name."""
        names = {"figure": "curves.png", "record": "record.json", "model": "best.safetensors"}
        record["files"] = files = {name: str(folder / file) for name, file in names.items()}
        done = list(zip(jobs, runs, strict=True))
        job, best = min(done, key=lambda pair: pair[1].valid_loss)
        words = self.corpus.vocabulary.words
        save(files["model"], best.model, vocabulary=words, tokenizer=self.corpus.tokenizer)
        save_figure(figure_of(self.corpus, done), files["figure"])
        record["best_model"] = job.label
        curves = {"runs": [compare.curves_record(job, run) for job, run in done]}
        write_record(files["record"], finite(record | curves))


def results_table(arms):
    """One row for each arm."""
    header = ["model", "width", "parameters", "embedding", "train", "valid", "test", "seconds"]
    rows = [
        [
            arm["arm"], str(arm["width"]), f"{arm['parameters']:,}",
            f"{arm['embedding_parameters']:,}",
            *(compare.shown(arm[f"{part}_perplexity"]) for part in ("train", "valid", "test")),
            f"{arm['cpu_seconds']:.1f}",
        ]
        for arm in arms
    ]  # fmt: skip
    return table(header, rows)


def figure_of(corpus, done):
    """The learning curves of all runs."""
    from tinytie.plots.curves import learning_curves  # matplotlib is slow to import

    def curves(part):
        return {
            name: [
                [perplexity(getattr(epoch, part)) for epoch in run.history]
                for job, run in done
                if compare.arm_name(job) == name
            ]
            for name in compare.NAMES
        }

    floor = None if corpus.entropy is None else perplexity(corpus.entropy)
    return learning_curves(curves("train_loss"), curves("valid_loss"), floor=floor)
