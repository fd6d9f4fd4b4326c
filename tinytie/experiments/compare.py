"""The comparison of language models: the same recipe, untied and tied, several seeds.

Three arms. Tied at the same width asks what is lost when half of the embedding goes; tied at the
same budget spends what was saved on width, and asks what is gained.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tinytie.experiments.engine import Job, Run
from tinytie.experiments.options import Options, widest
from tinytie.experiments.record import model_and_time, run_record
from tinytie.measure.parameters import count_parameters
from tinytie.measure.perplexity import perplexity, predict
from tinytie.models.bodies import BODIES, Kind
from tinytie.models.inputs import one_of
from tinytie.models.language_model import LanguageModel
from tinytie.text.batches import Batches
from tinytie.text.corpora import Corpus
from tinytie.training.trainer import Trainer

NAMES = ("untied", "tied, same width", "tied, same budget")


@dataclass(frozen=True, kw_only=True)
class LanguageOptions(Options):
    """One recipe for every arm; the defaults suit a text of 50,000 words."""

    model: str = "rnn"  # a name of BODIES
    cell: str = "rnn"
    hidden: int | None = None  # H; None is D
    layers: int = 1
    heads: int = 4
    steps: int = 20  # T
    window: int = 4  # words that a feed-forward model looks back on
    dropout: float = 0.2
    decay_after: int | None = 5
    patience: int | None = 3

    @property
    def kind(self) -> Kind:
        """The kind of model. Raises ValueError, with the names there are, on an unknown one."""
        return BODIES[one_of("model", self.model, BODIES)]

    def build(self, vocab_size: int, tied: bool, rng: Any = None) -> LanguageModel:
        """A new float32 model."""
        more = {"tied": tied, "dtype": np.float32, "rng": rng}
        return self.kind.build(vocab_size, self.width, self, **more)

    def sketch(self, vocab_size: int, **more: Any) -> LanguageModel:
        """The same without arrays; `more` are arguments of its class."""
        model: Any = self.kind.model
        return model.sketch(vocab_size, **self.kind.arguments(self.width, self) | more)


class Arm(NamedTuple):
    """What differs between the models compared."""

    name: str
    tied: bool
    width: int


@dataclass(kw_only=True)
class LanguageJob(Job):
    """A language model on a corpus. It finds the losses of the train and test texts."""

    options: LanguageOptions
    data: Corpus
    tied: bool

    def build(self) -> tuple[LanguageModel, Trainer]:
        """Model and trainer, both drawn from the seed."""
        options, corpus = self.options, self.data
        weights, masks = np.random.default_rng(options.seed).spawn(2)
        model = options.build(len(corpus.vocabulary), self.tied, weights)
        batches = Batches(corpus.train, options.batch_size, options.steps)
        valid_loss = lambda model: predict(model, corpus.valid).loss  # noqa: E731
        return model, options.trainer(model, batches, valid_loss, masks)

    def measure(self, model: LanguageModel, trainer: Trainer) -> tuple[float, float]:
        """Nats a token; the train text in rows, which is faster and costs a little."""
        train = predict(model, self.data.train, batch_size=self.options.batch_size)
        return train.loss, predict(model, self.data.test).loss


def arms_of(options: LanguageOptions, vocab_size: int) -> list[Arm]:
    """Untied; tied at the same width; tied, as wide as the untied model's budget allows."""
    budget = parameters(options, vocab_size, tied=False)
    step = options.kind.multiple_of(options)
    wider = step * widest(
        lambda n: parameters(options.changed(width=step * n), vocab_size, tied=True), budget
    )
    widths = (options.width, options.width, wider)
    return [Arm(name, name != "untied", width) for name, width in zip(NAMES, widths, strict=True)]


def parameters(options: LanguageOptions, vocab_size: int, tied: bool) -> int:
    """How many parameters such a model has."""
    return count_parameters(options.sketch(vocab_size, tied=tied))["total"]


def jobs_of(options: LanguageOptions, corpus: Corpus, seeds: int) -> list[LanguageJob]:
    """Every arm with every seed, the slowest arm first so that two processes end together."""
    Batches(corpus.train, options.batch_size, options.steps)  # refuses a text that is too short
    arms = sorted(arms_of(options, len(corpus.vocabulary)), key=lambda arm: -arm.width)
    return [
        LanguageJob(
            label=f"{arm.name}, seed {seed}", data=corpus, tied=arm.tied,
            options=options.changed(width=arm.width, seed=seed),
        )
        for arm in arms for seed in seeds_from(options, seeds)
    ]  # fmt: skip


def summarize(jobs: Sequence[LanguageJob], runs: Sequence[Run]) -> list[dict[str, Any]]:
    """A row for each arm, in the order of NAMES, as JSON values; see `spread`."""
    done = list(zip(jobs, runs, strict=True))
    return [arm_record([pair for pair in done if arm_name(pair[0]) == name]) for name in NAMES]


def arm_record(done):
    """The row of one arm, from its jobs and their runs."""
    job, runs = done[0][0], [run for _, run in done]
    row = {"arm": arm_name(job), "tied": job.tied, "width": job.options.width}
    return row | model_and_time(runs) | {
        "train_perplexity": spread([run.found[0] for run in runs]),
        "valid_perplexity": spread([run.valid_loss for run in runs]),
        "test_perplexity": spread([run.found[1] for run in runs]),
    }  # fmt: skip


def seeds_from(options: LanguageOptions, seeds: int) -> range:
    """Consecutive seeds, from the one in the options."""
    return range(options.seed, options.seed + seeds)


def arm_name(job: LanguageJob) -> str:
    """Which arm a job belongs to: its label without the seed."""
    return job.label.rpartition(", ")[0]


def spread(losses: Sequence[float]) -> dict[str, Any]:
    """The perplexities of several seeds: mean, deviation, and each seed's value.

    The deviation is that of the sample, n − 1 in the denominator; None for one seed.
    """
    values, deviation = [perplexity(loss) for loss in losses], None
    if len(values) > 1:
        with np.errstate(invalid="ignore", over="ignore"):  # an infinite perplexity has none: nan
            deviation = float(np.std(values, ddof=1))
    return {"mean": float(np.mean(values)), "deviation": deviation, "values": values}


def shown(spread: dict[str, Any]) -> str:
    """65.6 ± 0.4, or 65.6 alone for one seed."""
    deviation = spread["deviation"]
    return f"{spread['mean']:.1f}" + ("" if deviation is None else f" ± {deviation:.1f}")


def sentence(arms: Sequence[dict[str, Any]]) -> str:
    """What these numbers show, and no more than that.

    Better and worse are said only where every seed of one arm beats every seed of the other.
    """
    untied, same_width, same_budget = arms
    tests = [arm["test_perplexity"] for arm in arms]
    same, wider = (f"{verdict(test, tests[0])} ({shown(test)})" for test in tests[1:])
    text = (
        f"Test perplexity untied {shown(tests[0])}: tying at the same width took away "
        f"{1 - same_width['parameters'] / untied['parameters']:.0%} of the parameters and {same}; "
        f"tying with the untied model's number of parameters, at width {same_budget['width']} "
        f"instead of {untied['width']}, {wider}."
    )
    if len(tests[0]["values"]) == 1:
        text += " One seed is a look, not a result: another seed may turn this round."
    return text


def verdict(tied: dict[str, Any], untied: dict[str, Any]) -> str:
    """How the tied arm did."""
    ours, theirs = tied["values"], untied["values"]
    if max(ours) < min(theirs):
        return "was better in every seed" if len(ours) > 1 else "came out lower"
    if min(ours) > max(theirs):
        return "was worse in every seed" if len(ours) > 1 else "came out higher"
    return "made no clear difference"


def record_of(
    options: LanguageOptions, corpus: Corpus, seeds: int, arms: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The comparison as JSON values: options, seeds, environment, the text, the rows, the sentence.

    The environment is that of this process; each run had a process with one thread.
    """
    asked = {name: value for name, value in options.asdict().items() if name != "seed"}
    floors = [loss and perplexity(loss) for loss in (corpus.entropy, corpus.test_entropy)]
    return run_record(asked, list(seeds_from(options, seeds))) | {
        "threads_a_run": 1,
        "corpus": {
            "name": corpus.name,
            "tokenizer": corpus.tokenizer,
            "vocabulary": len(corpus.vocabulary),
            "train_tokens": len(corpus.train),
            "valid_tokens": len(corpus.valid),
            "test_tokens": len(corpus.test),
            "test_unknown": corpus.unknown,
            "best_perplexity": floors[0],  # where the process that made the text is known
            "best_test_perplexity": floors[1],
        },
        "arms": arms,
        "sentence": sentence(arms),
    }


def curves_record(job: LanguageJob, run: Run) -> dict[str, Any]:
    """One run with its learning curves, losses in nats a token."""
    return {
        "arm": arm_name(job),
        "seed": job.options.seed,
        "train_loss": run.found[0],
        "valid_loss": run.valid_loss,
        "test_loss": run.found[1],
        "cpu_seconds": run.seconds,
        "epochs": [epoch._asdict() for epoch in run.history],
    }
