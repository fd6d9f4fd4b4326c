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
from tinytie.experiments.studies.study import SMALL, Study, values
from tinytie.experiments.studies.texts import small_english
from tinytie.measure.neighbours import unit_rows

ARMS = [(tied, optimizer) for tied in (False, True) for optimizer in ("adam", "coupled-adam")]


def jobs(seeds: int) -> list[LanguageJob]:
    """Tied and untied with both optimizers, for each seed."""
    corpus = small_english()
    return [
        LanguageJob(label=f"{'tied' if tied else 'untied'}, {optimizer}, seed {seed}", tied=tied,
                    data=corpus, options=SMALL.changed(optimizer=optimizer, seed=seed))
        for tied, optimizer in ARMS for seed in range(seeds)
    ]  # fmt: skip


def mean_cosine(E: np.ndarray) -> float:
    """The mean cosine of two different rows: (‖Σ uᵢ‖² − V) / (V (V − 1)), uᵢ the unit rows."""
    unit, V = unit_rows(E.astype(np.float64)), len(E)
    return float((np.sum(unit.sum(axis=0) ** 2) - V) / (V * (V - 1)))


def summarize(jobs: Sequence[LanguageJob], runs: Sequence[Run]) -> dict[str, Any]:
    """For each arm the perplexities, and the mean cosine within each matrix."""
    done = list(zip(jobs, runs, strict=True))
    rows = []
    for tied, optimizer in ARMS:
        arm = [run for job, run in done if (job.tied, job.options.optimizer) == (tied, optimizer)]
        cosines = {
            name: values([mean_cosine(run.model.params[name]) for run in arm])
            for name in arm[0].model.embedding_names
        }
        centred = {
            name: values([mean_cosine(E - E.mean(axis=0)) for E in (r.model.params[name] for r in arm)])
            for name in cosines
        }
        test = spread([run.found[1] for run in arm])
        rows.append({"tied": tied, "optimizer": optimizer, "test": test, "cosine": cosines,
                     "centred": centred})  # fmt: skip
    return {"rows": rows}


STUDY = Study("cone", "whether the rows point one way, and whether Adam makes them", jobs, summarize)
