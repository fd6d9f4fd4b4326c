"""Between tied and untied: the family of ties, each as wide as one budget of parameters allows.

How does each do, and what does it cost? Beside the perplexity stands how much of the scores'
gradient passes the head: of ds (N, V) only the part in the span of E's columns comes back into the
network, dh = ds E; the rest is lost (Godey and Artzi 2026 call it a gradient bottleneck).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tinytie.experiments.compare import LanguageJob, spread
from tinytie.experiments.engine import Run
from tinytie.experiments.options import widest
from tinytie.experiments.studies.study import SMALL, Study, told, values
from tinytie.experiments.studies.texts import small_english
from tinytie.measure.bottleneck import share_that_passes
from tinytie.measure.parameters import count_parameters
from tinytie.models.base import UNDRAWN
from tinytie.models.between import JointLM, MixtureLM
from tinytie.models.rnn_lm import RNNLM

FAMILY: dict[str, Callable[..., RNNLM]] = {  # V, D, more -> a model
    "untied": lambda V, D, **more: RNNLM(V, D, tied=False, **more),
    "untied, E_in a quarter as wide": lambda V, D, **more: RNNLM(V, D, 4 * D, tied=False, **more),
    "identity": lambda V, D, **more: RNNLM(V, D, **more),
    "projection, H = 2D": lambda V, D, **more: RNNLM(V, D, 2 * D, **more),
    "joint map": lambda V, D, **more: JointLM(V, D, **more),
    "mixture of 3 softmaxes": lambda V, D, **more: MixtureLM(V, D, **more),
}


OPTIONS = SMALL.changed(rate=2e-3)  # the wide ones do not settle at SMALL's rate
UNMEASURED = ("mixture of 3 softmaxes",)  # it has a gradient of scores for each of its states


@dataclass(kw_only=True)
class MemberJob(LanguageJob):
    """One member of the family."""

    member: str = "identity"
    tied: bool = True

    def new_model(self, rng: Any) -> RNNLM:
        """Its model."""
        V, D = len(self.data.vocabulary), self.options.width
        return FAMILY[self.member](V, D, dtype=np.float32, rng=rng)

    def measure(self, model: Any, trainer: Any) -> tuple[float, ...]:
        """The losses, and what passes the head."""
        return *super().measure(model, trainer), passes(model, *trainer.batches[0])


def jobs(seeds: int) -> list[MemberJob]:
    """Every member at the parameters of the untied model, for each seed."""
    corpus = small_english()
    V = len(corpus.vocabulary)
    budget = size("untied", V, OPTIONS.width)
    widths = {member: widest(partial(size, member, V), budget) for member in FAMILY}
    return [
        MemberJob(label=f"{member}, seed {seed}", member=member, data=corpus,
                  options=OPTIONS.changed(width=width, seed=seed))
        for member, width in widths.items() for seed in range(seeds)
    ]  # fmt: skip


def size(member: str, V: int, D: int) -> int:
    """Its number of parameters."""
    model = FAMILY[member](V, D, rng=UNDRAWN)
    return sum(math.prod(shape) for shape in model.shapes.values())


def passes(model: RNNLM, x: np.ndarray, y: np.ndarray) -> float:
    """The share of |ds|² that passes the head on one batch; 0 for a mixture, see UNMEASURED."""
    if isinstance(model, MixtureLM):
        return 0.0
    E = model.mapped_words() if isinstance(model, JointLM) else model.embeddings()[1]
    return share_that_passes(model.logits(x)[0], y, E)


def summarize(jobs: Sequence[MemberJob], runs: Sequence[Run]) -> dict[str, Any]:
    """For each member its size, its perplexities, and what passes its head."""
    done = list(zip(jobs, runs, strict=True))
    return {"rows": [row(member, done) for member in FAMILY]}


def row(member, done):
    """One member, over its seeds."""
    arm = [(job, run) for job, run in done if job.member == member]
    train, test, passing = zip(*(run.found for _, run in arm), strict=True)
    return {
        "member": member, "width": arm[0][0].options.width,
        "parameters": count_parameters(arm[0][1].model)["total"],
        "train": spread(train), "test": spread(test),
        "passes": None if member in UNMEASURED else values(passing),
        "seconds": values([run.seconds for _, run in arm]),
    }  # fmt: skip


def line(row: dict[str, Any]) -> list[str]:
    """One member."""
    sizes = [str(row["width"]), f"{row['parameters']:,}"]
    seen = [told(row["train"], 1), told(row["test"], 1)]
    passing = "-" if row["passes"] is None else f"{row['passes']['mean']:.3f}"
    return [row["member"], *sizes, *seen, passing, f"{row['seconds']['mean']:.0f}"]


STUDY = Study(
    "between", "what lies between tied and untied, at one budget", jobs, summarize,
    ["model", "D", "parameters", "train", "test perplexity", "of |ds|² passes", "seconds"], line,
)  # fmt: skip
