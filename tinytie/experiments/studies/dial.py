"""The dial: a factor k on the lookup's share of a tied gradient, dE = k dE_in + dE_out.

k = 1 is the derivative of the loss; any other k follows a gradient of no loss. What does E become,
what an untied model's E_in is or its E_out, and what does that cost?
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tinytie.experiments.compare import LanguageJob, spread
from tinytie.experiments.engine import Run
from tinytie.experiments.studies.study import SMALL, Study, told, values
from tinytie.experiments.studies.texts import small_english
from tinytie.measure.similarity import distance_correlation

FACTORS = (0.0, 1.0, 3.0, 10.0, 30.0)
WORDS = 500  # the most frequent ones, whose distances are compared


class Dialled:
    """A view of a tied model that hands out k dE_in + dE_out in place of its gradient of E."""

    def __init__(self, model: Any, factor: float) -> None:
        self.model, self.factor = model, factor
        self.params, self.frozen, self.memory_for = model.params, model.frozen, model.memory_for

    def loss_and_grads(self, *batch: Any, paths: bool = True, **options: Any) -> Any:
        """As the model's, but for E."""
        result = self.model.loss_and_grads(*batch, paths=True, **options)
        lookup, scores = result.embedding_paths
        return result._replace(grads=result.grads | {"E": self.factor * lookup + scores})


@dataclass(kw_only=True)
class DialJob(LanguageJob):
    """A language model, trained with that factor where it is tied."""

    factor: float = 1.0

    def build(self) -> tuple[Any, Any]:
        """The model, and a trainer of its view."""
        model, trainer = super().build()
        if self.tied:
            validate = trainer.valid_loss
            trainer.model = Dialled(model, self.factor)
            trainer.valid_loss = lambda view: validate(view.model)
        return model, trainer


def jobs(seeds: int) -> list[DialJob]:
    """Untied, and tied with each factor, for each seed."""
    corpus = small_english()
    arms = [(False, 1.0), *((True, factor) for factor in FACTORS)]
    return [
        DialJob(label=f"{'k = ' + f'{factor:g}' if tied else 'untied'}, seed {seed}", tied=tied,
                factor=factor, data=corpus, options=SMALL.changed(seed=seed))
        for tied, factor in arms for seed in range(seeds)
    ]  # fmt: skip


def summarize(jobs: Sequence[DialJob], runs: Sequence[Run]) -> dict[str, Any]:
    """For each factor the perplexities, and the likeness of E to both matrices of that seed."""
    done = list(zip(jobs, runs, strict=True))
    untied = {job.options.seed: run.model.params for job, run in done if not job.tied}
    alike = lambda E, name, seed: distance_correlation(E[:WORDS], untied[seed][name][:WORDS])  # noqa: E731
    rows = []
    for factor in FACTORS:
        arm = [(job, run) for job, run in done if job.tied and job.factor == factor]
        found = {
            name: values([alike(run.model.params["E"], name, job.options.seed) for job, run in arm])
            for name in ("E_in", "E_out")
        }
        rows.append({"k": factor, "test": spread([run.found[1] for _, run in arm]), **found})
    own = values([alike(E["E_in"], "E_out", seed) for seed, E in untied.items()])
    tests = spread([run.found[1] for job, run in done if not job.tied])
    return {"words": WORDS, "rows": rows, "untied": {"test": tests, "E_in with E_out": own}}


def line(row: dict[str, Any]) -> list[str]:
    """One factor."""
    return [f"{row['k']:g}", told(row["E_in"]), told(row["E_out"]), told(row["test"], 1)]


STUDY = Study(
    "dial", "how the matrix changes with the weight of the lookup's gradient", jobs, summarize,
    ["k", "E like E_in", "E like E_out", "test perplexity"], line,
)  # fmt: skip
