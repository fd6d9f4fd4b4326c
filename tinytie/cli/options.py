"""Arguments that several commands share, and what is made of them."""

import argparse
import dataclasses

from tinytie.cli.places import place
from tinytie.experiments.options import BUILDERS, Options
from tinytie.ops.cells import CELLS
from tinytie.printable import printable
from tinytie.text.corpora import Corpus, classes_corpus, file_corpus, topics_corpus
from tinytie.text.tokenizers import TOKENIZERS

CORPORA = ("topics", "classes")
MOST = 10**9  # of anything that is counted, so that a typing mistake does not fill the memory
FEW = 1000  # of what is made one by one: layers, seeds, processes


def positive(text):
    """A whole number of at least 1."""
    return bounded(int, text, f"a whole number from 1 to {MOST:,}", lambda n: 1 <= n <= MOST)


def few(text):
    """A whole number of at least 1, of things that take time or memory each."""
    return bounded(int, text, f"a whole number from 1 to {FEW:,}", lambda n: 1 <= n <= FEW)


def natural(text):
    """A whole number of at least 0."""
    return bounded(int, text, "a whole number of at least 0", lambda n: n >= 0)


def above_zero(text):
    """A finite number above 0."""
    return bounded(float, text, "a number above 0", lambda a: 0 < a < float("inf"))


def share(text):
    """A number in [0, 1)."""
    return bounded(float, text, "a number from 0 up to, not including, 1", lambda a: 0 <= a < 1)


def bounded(kind, text, expected, fits):
    """The number that a text stands for, or what argparse shall say about it."""
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not fits(value):
        raise argparse.ArgumentTypeError(f"must be {expected}, got {text!r}")
    return value


def add_text_arguments(parser: argparse.ArgumentParser) -> None:
    """Which text to train on, and how it becomes tokens."""
    group = parser.add_argument_group("text")
    group.add_argument(
        "--corpus", choices=CORPORA,
        help="topics: Python's own language reference, in English (default); classes: a made-up "
        "language whose best perplexity is known",
    )  # fmt: skip
    group.add_argument(
        "--text", type=place, metavar="FILE", help="train on this UTF-8 file instead"
    )
    group.add_argument("--valid", type=place, metavar="FILE", help="and validate on this one")
    group.add_argument(
        "--test", type=place, metavar="FILE",
        help="and test on this one; without both, --text is split 80/10/10",
    )  # fmt: skip
    group.add_argument("--tokenizer", choices=TOKENIZERS, help="what a token is (default: word)")
    group.add_argument(
        "--min-count", type=positive, metavar="N",
        help="a token that occurs less often becomes <unk> (default: 3 for words, otherwise 1)",
    )  # fmt: skip


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Which model, how wide, and how it is trained."""
    default = Options()
    group = parser.add_argument_group("model and training")
    group.add_argument("--model", choices=BUILDERS, default=default.model, help="(default: rnn)")
    group.add_argument(
        "--cell", choices=CELLS, help=f"of a recurrent model (default: {default.cell})"
    )
    sizes = {
        "width": "embedding and hidden width",
        "layers": "layers of the model",
        "heads": "heads of a Transformer's attention",
        "batch-size": "rows of text side by side, B",
        "steps": "steps of text at a time, T",
        "patience": "epochs without a new best before training stops",
    }
    for name, what in sizes.items():
        value = getattr(default, name.replace("-", "_"))
        kind = few if name == "layers" else positive
        group.add_argument(f"--{name}", type=kind, metavar="N", help=f"{what} ({value})")
    group.add_argument("--epochs", type=positive, metavar="N", help=f"at most ({default.epochs})")
    group.add_argument(
        "--dropout", type=share, default=default.dropout, metavar="P",
        help=f"share of entries dropped in training ({default.dropout})",
    )  # fmt: skip
    group.add_argument(
        "--rate", type=above_zero, default=default.rate, metavar="R",
        help=f"learning rate of Adam ({default.rate})",
    )  # fmt: skip
    group.add_argument(
        "--clip", dest="max_norm", type=above_zero, default=default.max_norm, metavar="NORM",
        help=f"largest norm of the gradient ({default.max_norm})",
    )  # fmt: skip


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


def options_from(args: argparse.Namespace) -> Options:
    """The training options among the arguments; None stands for the default.

    Raises ValueError on an option of the other kind of model.
    """
    other = "cell" if args.model == "transformer" else "heads"
    if getattr(args, other) is not None:
        raise ValueError(f"--model {args.model} has no --{other}; leave it out")
    names = {field.name for field in dataclasses.fields(Options)}
    given = {name: value for name, value in vars(args).items() if name in names}
    return Options(**{name: value for name, value in given.items() if value is not None})


def describe_corpus(corpus: Corpus) -> str:
    """One line on the text."""
    unknown = f", {corpus.unknown:.1%} of the test text <unk>" if corpus.unknown else ""
    sizes = [len(part) for part in (corpus.train, corpus.valid, corpus.test)]
    return (
        f"text {printable(corpus.name)}: {sizes[0]:,} tokens to train on, {sizes[1]:,} to "
        f"validate, {sizes[2]:,} to test; {len(corpus.vocabulary):,} in the vocabulary{unknown}"
    )
