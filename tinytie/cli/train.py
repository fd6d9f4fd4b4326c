"""`tinytie train`: one model, saved with its vocabulary."""

import argparse
import dataclasses
import math
import time
from functools import partial

import numpy as np

from tinytie.cli.last_line import print_json
from tinytie.cli.options import (
    add_model_arguments,
    add_text_arguments,
    corpus_from,
    describe_corpus,
    natural,
    options_from,
)
from tinytie.cli.places import file_for_results, place
from tinytie.cli.progress import Progress, epoch_line, step_line
from tinytie.experiments.options import build_model, build_trainer
from tinytie.files.checkpoint import save
from tinytie.measure.parameters import count_parameters
from tinytie.measure.perplexity import perplexity, predict
from tinytie.printable import printable
from tinytie.training.interrupts import Interrupts
from tinytie.training.trainer import Step

HELP = "train one model and save it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text_arguments(parser)
    add_model_arguments(parser)
    parser.add_argument("--untied", action="store_true", help="two embedding matrices, not one")
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="(0)")
    parser.add_argument(
        "--out", type=place, metavar="FILE", help="where to save (runs/train-<time>.safetensors)"
    )
    parser.add_argument("--json", action="store_true", help="print the results as the last line")


def run(args: argparse.Namespace) -> int:
    corpus, options = corpus_from(args), options_from(args)
    weights, masks = np.random.default_rng(args.seed).spawn(2)
    model = build_model(options, len(corpus.vocabulary), not args.untied, rng=weights)
    trainer = build_trainer(options, corpus, model, masks)
    path = file_for_results(args.out or time.strftime("runs/train-%Y%m%d-%H%M%S.safetensors"))
    print(describe_corpus(corpus))
    print(f"a model of {count_parameters(model)['total']:,} parameters", flush=True)
    saved = partial(
        save, path, model, vocabulary=corpus.vocabulary.words, tokenizer=corpus.tokenizer
    )
    if not follow(trainer):
        training = {"options": dataclasses.asdict(options), "trainer": trainer.state()}
        trainer.keep_best()
        saved(training=training)
        print(f"what was learned so far is saved: {printable(str(path))}")
        raise KeyboardInterrupt
    saved()
    results = {
        "model": str(path),
        "epochs": trainer.epoch,
        "train_perplexity": predict(model, corpus.train, batch_size=options.batch_size).perplexity,
        "valid_perplexity": perplexity(min(trainer.valid_losses)),
        "test_perplexity": predict(model, corpus.test).perplexity,
        "best_test_perplexity": corpus.test_entropy and math.exp(corpus.test_entropy),
    }
    print_results(results)
    if args.json:
        print_json(results)
    return 0


def follow(trainer):
    """Train, one line on each epoch. True at the end, False where Ctrl-C came before it."""
    with Progress() as progress, Interrupts() as interrupts:
        for event in trainer.run():
            if isinstance(event, Step):
                left = progress.left((event.epoch + event.share) / trainer.epochs)
                progress.rewrite(f"{step_line(event, trainer.epochs)}  {left}")
            else:
                progress.note(epoch_line(event, trainer.epochs))
            if interrupts.came:
                return False
    return True


def print_results(results):
    """Perplexities, and where the model is."""
    parts = ("train", "valid", "test")
    print("perplexity: " + ", ".join(f"{p} {results[f'{p}_perplexity']:.1f}" for p in parts))
    if results["best_test_perplexity"]:
        print(f"best reachable on this test text: {results['best_test_perplexity']:.1f}")
    print(f"saved: {printable(results['model'])}")
