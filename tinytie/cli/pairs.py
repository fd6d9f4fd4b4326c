"""Arguments of the translation task, and what is made of them."""

import argparse

from tinytie.cli.options import above_zero, natural, positive, share
from tinytie.cli.places import place
from tinytie.experiments.translate import FOR_FILES, TranslationOptions
from tinytie.experiments.translation_text import number_texts
from tinytie.ops.cells import CELLS
from tinytie.text.pairs import Pair, PairTexts, hold_out, read_aligned, read_pairs

QUICK_EPOCHS, QUICK_PAIRS = 2, 1000


def add_pair_arguments(parser: argparse.ArgumentParser) -> None:
    """Which sentences."""
    group = parser.add_argument_group("text, by default numbers in words from English to French")
    for part, what in (("", "train"), ("valid-", "validate"), ("test-", "test")):
        group.add_argument(
            f"--{part}pairs", type=place, metavar="FILE",
            help=f"{what} on this file: on each line a sentence, a tab, its translation",
        )  # fmt: skip
        group.add_argument(
            f"--{part}source", type=place, metavar="FILE", help=f"or {what} on this one"
        )
        group.add_argument(
            f"--{part}target", type=place, metavar="FILE", help="and its translation, line by line"
        )
    group.add_argument("--reverse", action="store_true", help="translate the other way round")


def add_training_arguments(parser: argparse.ArgumentParser) -> None:
    """Which translator, and how it is trained; None is the default for the kind of text."""
    group = parser.add_argument_group("model and training (defaults: for numbers, for files)")
    arguments = {
        "merges": (positive, "byte pairs to join into subwords, at most"),
        "width": (positive, "embedding width"),
        "hidden": (positive, "hidden width, where it is not the embedding's"),
        "dropout": (share, "share of entries dropped in training"),
        "epochs": (positive, "times through the text"),
        "batch_size": (positive, "sentences in a batch"),
        "rate": (above_zero, "learning rate of Adam"),
        "max_norm": (above_zero, "largest norm of the gradient"),
    }
    for name, (kind, what) in arguments.items():
        defaults = getattr(TranslationOptions(), name), getattr(FOR_FILES, name)
        flag = "--clip" if name == "max_norm" else f"--{name.replace('_', '-')}"
        text = what if None in defaults else f"{what} ({defaults[0]}, {defaults[1]})"
        group.add_argument(flag, dest=name, type=kind, metavar="N", help=text)
    group.add_argument("--cell", choices=CELLS, help=f"({TranslationOptions().cell})")
    group.add_argument("--seed", type=natural, default=0, metavar="N", help="(0)")


def options_from(args: argparse.Namespace) -> TranslationOptions:
    """The options among the arguments; None stands for the default."""
    default = FOR_FILES if args.pairs or args.source else TranslationOptions()
    given = {name: getattr(args, name) for name in default._fields}
    options = default._replace(**{name: v for name, v in given.items() if v is not None})
    quick = args.quick and args.epochs is None
    return options._replace(epochs=QUICK_EPOCHS) if quick else options


def texts_from(args: argparse.Namespace) -> PairTexts:
    """The pairs that the arguments name. Raises ValueError on arguments that contradict."""
    train, valid, test = (part_from(args, part) for part in ("", "valid_", "test_"))
    if train is None:
        if valid or test:
            raise ValueError("give --pairs, or --source and --target, to train on as well")
        texts = number_texts(args.seed, *((QUICK_PAIRS, 100) if args.quick else ()))
    else:
        texts = hold_out(train, valid, test, args.seed)
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
