"""The results of a comparison as JSON values: what was run, on what, and every number."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from tinytie.experiments.experiment import Run
from tinytie.experiments.options import Options
from tinytie.experiments.record import run_record
from tinytie.experiments.summary import ArmResult, Spread, sentence
from tinytie.measure.perplexity import perplexity
from tinytie.text.corpora import Corpus


def summary(
    options: Options, corpus: Corpus, seeds: int, results: Sequence[ArmResult]
) -> dict[str, Any]:
    """Options, seeds and environment; the corpus in numbers; the rows of the table; the sentence.

    The environment is that of this process; each run had a process with one thread.
    """
    return run_record(dataclasses.asdict(options), list(range(seeds))) | {
        "threads_a_run": 1,
        "corpus": corpus_record(corpus),
        "arms": [arm_record(result) for result in results],
        "sentence": sentence(results),
    }


def corpus_record(corpus):
    """Sizes in tokens; best perplexities where the process that made the text is known."""
    return {
        "name": corpus.name,
        "tokenizer": corpus.tokenizer,
        "vocabulary": len(corpus.vocabulary),
        "train_tokens": len(corpus.train),
        "valid_tokens": len(corpus.valid),
        "test_tokens": len(corpus.test),
        "test_unknown": corpus.unknown,
        "best_perplexity": None if corpus.entropy is None else perplexity(corpus.entropy),
        "best_test_perplexity": (
            None if corpus.test_entropy is None else perplexity(corpus.test_entropy)
        ),
    }


def arm_record(result):
    """One row of the table; a spread is its mean, its deviation, and the value of each seed."""
    return {
        "arm": result.arm.name,
        "tied": result.arm.tied,
        "width": result.arm.width,
        "parameters": result.parameters,
        "embedding_parameters": result.embedding,
        "cpu_seconds": result.seconds,
    } | {
        f"{part}_perplexity": spread_record(getattr(result, part))
        for part in ("train", "valid", "test")
    }


def spread_record(spread: Spread) -> dict[str, Any]:
    """Mean, deviation (None for one seed), and each seed's value."""
    return {"mean": spread.mean, "deviation": spread.deviation, "values": list(spread.values)}


def curves_record(run: Run) -> dict[str, Any]:
    """One run with its learning curves, losses in nats a token."""
    return {
        "arm": run.arm.name,
        "seed": run.seed,
        "train_loss": run.train_loss,
        "valid_loss": run.valid_loss,
        "test_loss": run.test_loss,
        "cpu_seconds": run.seconds,
        "epochs": [epoch._asdict() for epoch in run.history],
    }
