"""The experiment behind `tinytie compare`: the same recipe, untied and tied, several seeds.

Three arms. Tied at the same width asks what is lost when half of the embedding goes; tied at the
same budget spends what was saved on width, and asks what is gained.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tinytie.experiments.options import Options, build_model, build_trainer, width_step
from tinytie.measure.parameters import count_parameters
from tinytie.measure.perplexity import predict
from tinytie.models.language_model import LanguageModel
from tinytie.text.batches import Batches
from tinytie.text.corpora import Corpus
from tinytie.training.trainer import Epoch, Step, TrainingError

NAMES = ("untied", "tied, same width", "tied, same budget")


class Arm(NamedTuple):
    name: str
    tied: bool
    width: int


class Job(NamedTuple):
    """One run: an arm with a seed."""

    arm: Arm
    seed: int
    options: Options
    corpus: Corpus

    @property
    def label(self) -> str:
        return label(self.arm, self.seed)


class Run(NamedTuple):
    """What came of a job. Losses in nats a token, all of the best epoch's parameters."""

    arm: Arm
    seed: int
    model: LanguageModel
    train_loss: float
    valid_loss: float
    test_loss: float
    history: list[Epoch]
    seconds: float  # of processor time, all included

    @property
    def label(self) -> str:
        return label(self.arm, self.seed)


def label(arm, seed):
    """A run's name."""
    return f"{arm.name}, seed {seed}"


def arms_of(options: Options, vocab_size: int) -> list[Arm]:
    """Untied; tied at the same width; tied, as wide as the untied model's budget allows."""
    budget = parameters(options, vocab_size, False, options.width)
    wider = widest(options, vocab_size, budget)
    widths = (options.width, options.width, wider)
    return [Arm(name, name != "untied", width) for name, width in zip(NAMES, widths, strict=True)]


def parameters(options, vocab_size, tied, width):
    """How many parameters such a model has."""
    return count_parameters(build_model(options, vocab_size, tied, width, rng=0))["total"]


def widest(options: Options, vocab_size: int, budget: int) -> int:
    """The largest width at which a tied model has at most `budget` parameters, by bisection."""
    step = width_step(options)
    fits = options.width // step
    too_wide = 2 * fits
    while parameters(options, vocab_size, True, step * too_wide) <= budget:
        fits, too_wide = too_wide, 2 * too_wide
    while too_wide - fits > 1:
        middle = (fits + too_wide) // 2
        if parameters(options, vocab_size, True, step * middle) <= budget:
            fits = middle
        else:
            too_wide = middle
    return step * fits


def jobs_of(options: Options, corpus: Corpus, seeds: int) -> list[Job]:
    """Every arm with every seed, the slowest arm first so that two processes end together."""
    Batches(corpus.train, options.batch_size, options.steps)  # refuses a text that is too short
    arms = sorted(arms_of(options, len(corpus.vocabulary)), key=lambda arm: -arm.width)
    return [Job(arm, seed, options, corpus) for arm in arms for seed in range(seeds)]


def train_one(job: Job, report: Callable[[Step | Epoch], None] = lambda event: None) -> Run:
    """One run from the first number drawn to the test text; `report` hears of each event.

    The seed draws the weights and the dropout masks, from two generators, so that the same seed
    gives the same run wherever it is run. Raises TrainingError, which names the run.
    """
    began = time.process_time()
    weights, masks = np.random.default_rng(job.seed).spawn(2)
    model = build_model(
        job.options, len(job.corpus.vocabulary), job.arm.tied, job.arm.width, weights
    )
    trainer = build_trainer(job.options, job.corpus, model, masks)
    try:
        for event in trainer.run():
            report(event)
    except TrainingError as error:
        raise TrainingError(f"{job.label}: {error}") from None
    return Run(
        job.arm, job.seed, model,
        predict(model, job.corpus.train, batch_size=job.options.batch_size).loss,
        min(trainer.valid_losses),
        predict(model, job.corpus.test).loss,
        trainer.history, time.process_time() - began,
    )  # fmt: skip
