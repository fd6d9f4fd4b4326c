"""The comparison of language models: the same recipe, untied and tied, several seeds.

Three arms. Tied at the same width asks what is lost when half of the embedding goes; tied at the
same budget spends what was saved on width, and asks what is gained. So that the recipe favours
none, each arm takes the point of a grid at which its own validation loss is lowest; the further
seeds are run there, and arms are compared by the differences of runs with the same seed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
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

Grid = Mapping[str, Sequence[float]]
GRID: Grid = {"dropout": (0.2, 0.4)}
WIDER_GRID: Grid = {"rate": (2e-3, 4e-3), "dropout": (0.2, 0.4, 0.6)}
THOROUGH: dict[str, Any] = {
    "schedule": "plateau",
    "epochs": 60,
    "decay": 0.5,
}  # which `patience` ends
T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)  # Student's t, from 1 up
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
    rate: float = 4e-3
    decay_after: int | None = 5
    decay: float = 0.6
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
        model = self.new_model(weights)
        batches = Batches(corpus.train, options.batch_size, options.steps)
        valid_loss = lambda model: predict(model, corpus.valid).loss  # noqa: E731
        return model, options.trainer(model, batches, valid_loss, masks)

    def new_model(self, rng: Any) -> LanguageModel:
        """The model that the options describe."""
        return self.options.build(len(self.data.vocabulary), self.tied, rng)

    def measure(self, model: LanguageModel, trainer: Trainer) -> tuple[float, ...]:
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


def jobs_of(
    options: LanguageOptions, corpus: Corpus, seeds: int,
    grid: Grid | None = None,
) -> list[LanguageJob]:  # fmt: skip
    """Every arm with every seed, the slowest arm first so that two processes end together.

    With a grid, every arm at every point of it, with the first seed: see `chosen`.
    """
    Batches(corpus.train, options.batch_size, options.steps)  # refuses a text that is too short
    arms = sorted(arms_of(options, len(corpus.vocabulary)), key=lambda arm: -arm.width)
    points: list[Any] = [{"seed": seed} for seed in seeds_from(options, seeds)]
    if grid is not None:
        points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [
        LanguageJob(
            label=f"{arm.name}, {told(point)}", data=corpus, tied=arm.tied,
            options=options.changed(width=arm.width, **point),
        )
        for arm in arms for point in points
    ]  # fmt: skip


def told(point: Mapping[str, float]) -> str:
    """A point of a grid in words."""
    return " ".join(f"{name} {value:g}" for name, value in point.items())


def chosen(jobs: Sequence[LanguageJob], runs: Sequence[Run]) -> list[tuple[LanguageJob, Run]]:
    """Of each arm the run with the lowest validation loss, as the run of its seed."""
    done, best = list(zip(jobs, runs, strict=True)), []
    for name in NAMES:
        of_arm = [pair for pair in done if arm_name(pair[0]) == name]
        job, run = min(of_arm, key=lambda pair: pair[1].valid_loss)
        best.append((replace(job, label=f"{name}, seed {job.options.seed}"), run))
    return best


def other_seeds(jobs: Sequence[LanguageJob], seeds: int) -> list[LanguageJob]:
    """The same jobs with the seeds after theirs."""
    return [
        replace(job, label=f"{arm_name(job)}, seed {seed}", options=job.options.changed(seed=seed))
        for job in jobs
        for seed in seeds_from(job.options, seeds)[1:]
    ]


def summarize(jobs: Sequence[LanguageJob], runs: Sequence[Run]) -> list[dict[str, Any]]:
    """A row for each arm, in the order of NAMES, as JSON values; see `spread`."""
    done = list(zip(jobs, runs, strict=True))
    arms = [arm_record([pair for pair in done if arm_name(pair[0]) == name]) for name in NAMES]
    for arm in arms[1:]:
        arm["difference"] = difference(arm["test_perplexity"], arms[0]["test_perplexity"])
    return arms


def difference(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Of two spreads, seed by seed: the mean, and the 95 % interval by Student's t.

    mean ± t·s/√n for n seeds, s their sample deviation; None for one seed.
    """
    d = np.subtract(ours["values"], theirs["values"])
    mean, half = float(d.mean()), None
    if len(d) > 1:
        half = float(T95[min(len(d) - 1, len(T95)) - 1] * d.std(ddof=1) / np.sqrt(len(d)))
    return {"mean": mean, "low": half and mean - half, "high": half and mean + half}


def paired(arms: Sequence[dict[str, Any]]) -> str:
    """The differences in words, where there are several seeds."""
    parts = [
        f"{arm['arm']} {d['mean']:+.1f} ({d['low']:+.1f} to {d['high']:+.1f})"
        for arm in arms[1:]
        if (d := arm["difference"])["low"] is not None
    ]
    return "test perplexity against untied, same seeds, with 95 % interval: " + "; ".join(parts)


def arm_record(done):
    """The row of one arm, from its jobs and their runs."""
    job, runs = done[0][0], [run for _, run in done]
    row = {"arm": arm_name(job), "tied": job.tied, "width": job.options.width}
    row |= {name: getattr(job.options, name) for name in WIDER_GRID}
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
