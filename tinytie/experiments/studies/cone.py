"""The narrow cone: do the rows of an embedding point the same way, and is Adam the cause?

Gao et al. 2019 found that the rows of a trained output embedding lie in a narrow cone; Stollenwerk
and Stollenwerk 2025 hold Adam's second moment responsible, row by row as it is, and let all rows
share one. The mean cosine of two rows is 0 where directions are drawn at random.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytie.experiments.compare import LanguageJob, spread
from tinytie.experiments.engine import Run
from tinytie.experiments.studies.study import SHORT, Study, told, values
from tinytie.experiments.studies.texts import small_english
from tinytie.measure.neighbours import unit_rows

RATES = (2e-3, 5e-3, 1e-2)  # for a step of equal rate is not of equal length with both
ARMS = [
    (tied, optimizer, rate)
    for tied in (False, True) for optimizer in ("adam", "coupled-adam") for rate in RATES
]  # fmt: skip


def jobs(seeds: int) -> list[LanguageJob]:
    """Tied and untied with both optimizers at each rate, for each seed."""
    corpus = small_english()
    return [
        LanguageJob(label=f"{'tied' if tied else 'untied'}, {optimizer}, {rate:g}, seed {seed}",
                    tied=tied, data=corpus,
                    options=SHORT.changed(optimizer=optimizer, rate=rate, seed=seed))
        for tied, optimizer, rate in ARMS for seed in range(seeds)
    ]  # fmt: skip


def mean_cosine(E: np.ndarray) -> float:
    """The mean cosine of two different rows: (‖Σ uᵢ‖² − V) / (V (V − 1)), uᵢ the unit rows."""
    unit, V = unit_rows(E.astype(np.float64)), len(E)
    return float((np.sum(unit.sum(axis=0) ** 2) - V) / (V * (V - 1)))


def summarize(jobs: Sequence[LanguageJob], runs: Sequence[Run]) -> dict[str, Any]:
    """For each arm the perplexities, and the mean cosine in each matrix, as it is and centred."""
    done = list(zip(jobs, runs, strict=True))
    return {"rows": [row(arm, done) for arm in ARMS]}


def row(arm, done):
    """One arm, over its seeds."""
    tied, optimizer, rate = arm
    is_in = lambda job: (job.tied, job.options.optimizer, job.options.rate) == arm  # noqa: E731
    runs = [run for job, run in done if is_in(job)]
    matrices = {
        name: [r.model.params[name] for r in runs] for name in runs[0].model.embedding_names
    }
    return {
        "tied": tied, "optimizer": optimizer, "rate": rate,
        "valid": spread([run.valid_loss for run in runs]),
        "test": spread([run.found[1] for run in runs]),
        "cosine": {name: values([mean_cosine(E) for E in Es]) for name, Es in matrices.items()},
        "centred": {
            name: values([mean_cosine(E - E.mean(axis=0)) for E in Es])
            for name, Es in matrices.items()
        },
    }  # fmt: skip


def line(row: dict[str, Any]) -> list[str]:
    """One arm."""
    cosines = (f"{name} {told(found)}" for name, found in row["cosine"].items())
    kind = "tied" if row["tied"] else "untied"
    return [f"{kind}, {row['optimizer']}", f"{row['rate']:g}", ", ".join(cosines),
            told(row["test"], 1)]  # fmt: skip


STUDY = Study(
    "cone", "whether the rows point one way, and whether Adam makes them", jobs, summarize,
    ["model, optimizer", "rate", "mean cosine of two rows", "test perplexity"], line,
)  # fmt: skip
