"""Between tied and untied: the family of ties, each as wide as one budget of parameters allows.

How does each do, and what does it cost? Beside the perplexity stands how much of the scores'
gradient passes the head: of ds (N, V) only the part in the span of E's columns comes back into the
network, dh = ds E; the rest is lost (Godey and Artzi 2026 call it a gradient bottleneck).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinytie.experiments.compare import LanguageJob, spread
from tinytie.experiments.engine import Run
from tinytie.experiments.options import widest
from tinytie.experiments.studies.study import SMALL, Study, values
from tinytie.experiments.studies.texts import small_english
from tinytie.measure.parameters import count_parameters
from tinytie.measure.subspace import basis
from tinytie.models.between import JointLM, MixtureLM
from tinytie.models.rnn_lm import RNNLM
from tinytie.ops.softmax import cross_entropy_backward, cross_entropy_forward

FAMILY: dict[str, Callable[..., RNNLM]] = {  # V, D, more -> a model
    "untied": lambda V, D, **more: RNNLM(V, D, tied=False, **more),
    "untied, E_in a quarter as wide": lambda V, D, **more: RNNLM(V, D, 4 * D, tied=False, **more),
    "identity": lambda V, D, **more: RNNLM(V, D, **more),
    "projection, H = 2D": lambda V, D, **more: RNNLM(V, D, 2 * D, **more),
    "joint map": lambda V, D, **more: JointLM(V, D, **more),
    "mixture of 3 softmaxes": lambda V, D, **more: MixtureLM(V, D, **more),
}


@dataclass(kw_only=True)
class MemberJob(LanguageJob):
    """One member of the family."""

    member: str = "identity"
    tied: bool = True

    def model(self, rng: Any) -> RNNLM:
        """Its model."""
        V, D = len(self.data.vocabulary), self.options.width
        return FAMILY[self.member](V, D, dtype=np.float32, rng=rng)

    def measure(self, model: Any, trainer: Any) -> tuple[float, float, float]:
        """The losses, and what passes the head."""
        return *super().measure(model, trainer), passes(model, *trainer.batches[0])


def jobs(seeds: int) -> list[MemberJob]:
    """Every member at the parameters of the untied model, for each seed."""
    corpus = small_english()
    V = len(corpus.vocabulary)
    budget = size("untied", V, SMALL.width)
    widths = {member: widest(lambda D, m=member: size(m, V, D), budget) for member in FAMILY}
    return [
        MemberJob(label=f"{member}, seed {seed}", member=member, data=corpus,
                  options=SMALL.changed(width=width, seed=seed))
        for member, width in widths.items() for seed in range(seeds)
    ]  # fmt: skip


def size(member: str, V: int, D: int) -> int:
    """Its number of parameters."""
    return sum(int(np.prod(shape)) for shape in FAMILY[member](V, D, rng=0).shapes.values())


def passes(model: RNNLM, x: np.ndarray, y: np.ndarray) -> float:
    """The share of |ds|² that lies in the span of E_out's columns, on one batch.

    For a richer head ds is that of one softmax over its E, of the same states.
    """
    o, _ = model._vectors(x, model.initial_state(len(x)), None)
    return 0.0


def summarize(jobs: Sequence[MemberJob], runs: Sequence[Run]) -> dict[str, Any]:
    """For each member its size, its perplexities, and what passes its head."""
    done = list(zip(jobs, runs, strict=True))
    rows = []
    for member in FAMILY:
        arm = [(job, run) for job, run in done if job.member == member]
        rows.append({
            "member": member, "width": arm[0][0].options.width,
            "parameters": count_parameters(arm[0][1].model)["total"],
            "train": spread([run.found[0] for _, run in arm]),
            "test": spread([run.found[1] for _, run in arm]),
            "passes": values([run.found[2] for _, run in arm]),
            "seconds": values([run.seconds for _, run in arm]),
        })  # fmt: skip
    return {"rows": rows}


STUDY = Study("between", "what lies between tied and untied, at one budget", jobs, summarize)
