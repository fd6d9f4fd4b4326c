"""`tinytie train`: one model, saved with its vocabulary."""

import argparse
import dataclasses
import math
import time
from functools import partial
from typing import Any

from tinytie.cli.files import file_for_results, file_name
from tinytie.cli.language import TEXT, corpus_from, describe_corpus
from tinytie.cli.options import declare, declare_options, options_from
from tinytie.cli.progress import Listener, Progress
from tinytie.experiments.compare import LanguageJob, LanguageOptions
from tinytie.experiments.engine import Stopped, train_here
from tinytie.measure.parameters import count_parameters
from tinytie.measure.perplexity import perplexity
from tinytie.printable import printable
from tinytie.text.pretrained import with_vectors
from tinytie.text.vectors import Vectors, read_vectors

HELP = "train one model and save it"
EXAMPLE = "tinytie train --text my.txt --out model.safetensors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    declare(parser.add_argument_group("text"), TEXT)
    declare_options(parser.add_argument_group("model and training"), [LanguageOptions()])
    declare(parser, {
        "untied": (bool, "two embedding matrices, not one"),
        "vectors": (file_name, "start from these word vectors, GloVe's or word2vec's text; they "
                    "set the width"),
        "freeze": (bool, "and leave the rows that were found as they are"),
        "out": (file_name, "where to save (runs/train-<time>.safetensors)"),
    })  # fmt: skip


@dataclasses.dataclass(kw_only=True)
class PretrainedJob(LanguageJob):
    """The same, from word vectors where there are some."""

    vectors: Vectors | None = None
    freeze: bool = False
    message: str = ""

    def build(self):
        model, trainer = super().build()
        if self.vectors is not None:
            started, self.message = with_vectors(
                model, self.vectors, frozen=self.freeze, rescale=model.tied
            )
            name = model.embedding_names[0]
            model.params[name][...] = started.params[name]
            model.frozen.update(started.frozen)
        return model, trainer


def run(args: argparse.Namespace) -> tuple[dict[str, Any], int]:
    corpus, options = corpus_from(args), options_from(args, LanguageOptions(), "train")
    vectors = None
    if args.vectors:
        vectors = read_vectors(args.vectors, corpus.vocabulary.words)
        options = dataclasses.replace(options, width=args.width or vectors.rows.shape[1])
    elif args.freeze:
        raise ValueError("--freeze goes with --vectors FILE: without them all rows are drawn")
    job = PretrainedJob(
        label=f"seed {options.seed}",
        options=options,
        data=corpus,
        tied=not args.untied,
        save_epochs=False,
        vectors=vectors,
        freeze=args.freeze,
    )
    model, _ = job.build()  # refuses what does not fit, before there is a folder
    name = args.out or time.strftime("runs/train-%Y%m%d-%H%M%S.safetensors")
    job.path = file_for_results(name)
    print(describe_corpus(corpus))
    print(f"a model of {count_parameters(model)['total']:,} parameters", flush=True)
    if job.message:
        print(printable(job.message))
    try:
        with Progress() as progress:
            trained = train_here(job, partial(Listener(progress, [job]), 0))
    except Stopped:
        print(f"what was learned so far is saved: {printable(str(name))}")
        raise
    train_loss, test_loss = trained.found
    results = {
        "model": str(job.path),
        "epochs": len(trained.history),
        "train_perplexity": perplexity(train_loss),
        "valid_perplexity": perplexity(trained.valid_loss),
        "test_perplexity": perplexity(test_loss),
        "best_test_perplexity": corpus.test_entropy and math.exp(corpus.test_entropy),
    }
    print_results(results)
    return results, 0


def print_results(results):
    """Perplexities, and where the model is."""
    parts = ("train", "valid", "test")
    print("perplexity: " + ", ".join(f"{p} {results[f'{p}_perplexity']:.1f}" for p in parts))
    if results["best_test_perplexity"]:
        print(f"best reachable on this test text: {results['best_test_perplexity']:.1f}")
    print(f"saved: {printable(results['model'])}")
