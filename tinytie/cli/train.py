"""`tinytie train`: one model, saved as it goes, with its vocabulary."""

import argparse
import math
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tinytie.cli.files import figure_file, file_for_results, file_name, save_figure
from tinytie.cli.language import TEXT, corpus_from, describe_corpus
from tinytie.cli.options import OPTIONS, Table, declare, declare_options, flag, options_from
from tinytie.cli.progress import Listener, Progress
from tinytie.experiments.compare import LanguageOptions
from tinytie.experiments.engine import train_here
from tinytie.experiments.single import LONGER, SingleJob, arguments_in
from tinytie.measure.parameters import count_parameters
from tinytie.measure.perplexity import Prediction, in_bits, in_words, perplexity
from tinytie.printable import printable
from tinytie.text.vectors import read_vectors

HELP = "train one model and save it"
EXAMPLE = "tinytie train --text my.txt --out model.safetensors"

MODEL: Table = {
    "untied": (bool, "two embedding matrices, not one"),
    "vectors": (file_name, "word vectors that the input embedding starts from (GloVe, word2vec)"),
    "freeze": (bool, "rows that start from vectors do not move"),
}
OUTPUT: Table = {
    "out": (file_name, "where to save (runs/train-<time>.safetensors)"),
    "plot": (figure_file, "draw the learning curves"),
    "resume": (file_name, "go on with the run that was stopped, by the file that it saved; of all "
               "other options only --epochs, --patience and --plot may be given"),
}  # fmt: skip
KEPT = (*TEXT, *MODEL, *OPTIONS)  # what a run needs to know when it is resumed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    declare(parser.add_argument_group("text"), TEXT)
    group = parser.add_argument_group("model and training")
    declare_options(group, [LanguageOptions()])
    declare(group, MODEL)
    declare(parser, OUTPUT)


def run(args: argparse.Namespace) -> tuple[dict[str, Any], int]:
    if args.resume is not None:
        restore(args)
    if args.freeze and args.vectors is None:
        raise ValueError("--freeze goes with --vectors FILE: it holds the rows that start from it")
    corpus, options = corpus_from(args), options_from(args, LanguageOptions(), "train")
    if args.vectors is not None and args.width is None:
        found_in = read_vectors(args.vectors, corpus.vocabulary.words)
        options = replace(options, width=found_in.rows.shape[1])
    name = args.resume or args.out or time.strftime("runs/train-%Y%m%d-%H%M%S.safetensors")
    with Progress() as progress:
        job = SingleJob(
            label=f"seed {options.seed}", options=options, data=corpus, tied=not args.untied,
            path=Path(name), resume=args.resume is not None, vectors=args.vectors,
            freeze=args.freeze, arguments={name: vars(args).get(name) for name in KEPT},
            say=lambda sentence: progress.note(printable(sentence)),
            ask=input if sys.stdin.isatty() else None,
        )  # fmt: skip
        print(describe_corpus(corpus), flush=True)
        model, _ = job.build()  # refuses what does not fit, before there is a folder
        file_for_results(name)
        print(f"a model of {count_parameters(model)['total']:,} parameters", flush=True)
        trained = train_here(job, partial(Listener(progress, [job]), 0))
    results = {"model": str(job.path), "epochs": len(trained.history)} | found(corpus, trained)
    print_results(results)
    if args.plot is not None:
        save_figure(curves(trained, corpus), args.plot)
        print(f"drawn: {printable(args.plot)}")
    return results, 0


def restore(args):
    """Put the arguments of the stopped run in place. Raises ValueError on one that differs."""
    fixed = [name for name in (*KEPT, "out") if name not in LONGER]
    given = [name for name in fixed if vars(args).get(name) not in (None, False)]
    if given:
        raise ValueError(
            f"--resume takes {flag(given[0])} from the run that was stopped; leave it out"
        )
    for name, value in arguments_in(args.resume).items():
        if vars(args).get(name) in (None, False):
            setattr(args, name, value)


def found(corpus, trained):
    """What the model makes of each text."""
    train_loss, test_loss = trained.found
    tokens = len(corpus.test) - 1  # the first one is given
    test = Prediction(test_loss * tokens, tokens)
    words, characters = corpus.test_words, corpus.test_characters
    return {
        "train_perplexity": perplexity(train_loss),
        "valid_perplexity": perplexity(trained.valid_loss),
        "test_perplexity": perplexity(test_loss),
        "best_test_perplexity": corpus.test_entropy and math.exp(corpus.test_entropy),
        "test_word_perplexity": words and in_words(test, words - 1),
        "test_bits_per_character": characters and in_bits(test, characters - 1),
    }


def print_results(results):
    """Perplexities, and where the model is."""
    parts = ("train", "valid", "test")
    print("perplexity: " + ", ".join(f"{p} {results[f'{p}_perplexity']:.1f}" for p in parts))
    if results["test_word_perplexity"]:
        print(
            f"on the test text, whatever a token is: perplexity per word "
            f"{results['test_word_perplexity']:.1f}, bits per character "
            f"{results['test_bits_per_character']:.3f}"
        )
    if results["best_test_perplexity"]:
        print(f"best reachable on this test text: {results['best_test_perplexity']:.1f}")
    print(f"saved: {printable(results['model'])}")


def curves(trained, corpus):
    """The figure of both learning curves."""
    from tinytie.plots.curves import learning_curves  # matplotlib is slow to import

    train, valid = (
        {"this run": [[perplexity(getattr(epoch, part)) for epoch in trained.history]]}
        for part in ("train_loss", "valid_loss")
    )
    best = perplexity(trained.valid_loss)
    floor = None if corpus.entropy is None else perplexity(corpus.entropy)
    return learning_curves(train, valid, f"best validation perplexity {best:.1f}", floor)
