"""Can it be told from the text alone, before training, whether tying will help?

For texts of many kinds: how much the two sides of a word have in common (`measure.sides`), and the
difference that tying makes at equal width, log test perplexity tied − untied, in nats.
"""

from collections.abc import Sequence
from typing import Any

from tinytie.experiments.compare import LanguageJob
from tinytie.experiments.engine import Run
from tinytie.experiments.studies.study import SMALL, Study, values
from tinytie.experiments.studies.texts import texts
from tinytie.measure.sides import sides
from tinytie.measure.similarity import interval, spearman


def jobs(seeds: int) -> list[LanguageJob]:
    """Tied and untied on every text, for each seed."""
    return [
        LanguageJob(label=f"{name}, {'tied' if tied else 'untied'}, seed {seed}", tied=tied,
                    data=corpus, options=SMALL.changed(seed=seed))
        for name, corpus in texts().items() for tied in (True, False) for seed in range(seeds)
    ]  # fmt: skip


def summarize(jobs: Sequence[LanguageJob], runs: Sequence[Run]) -> dict[str, Any]:
    """For each text both numbers; over all of them how they agree, and how often the sign does."""
    losses = {
        (job.data.name, job.tied, job.options.seed): run.found[1]
        for job, run in zip(jobs, runs, strict=True)
    }
    seeds = sorted({job.options.seed for job in jobs})
    rows = []
    for name, corpus in {job.data.name: job.data for job in jobs}.items():
        found = sides(corpus.train)
        gaps = [losses[name, True, seed] - losses[name, False, seed] for seed in seeds]
        rows.append({"text": name, "words": len(corpus.vocabulary), **found._asdict(),
                     "beyond_chance": found.beyond_chance, "tied_minus_untied": values(gaps)})  # fmt: skip
    told = [row["beyond_chance"] for row in rows]
    gaps = [row["tied_minus_untied"]["mean"] for row in rows]
    rho = spearman(told, gaps)
    return {"rows": rows, "spearman": rho, "interval": interval(rho, len(rows))}


STUDY = Study("predict", "whether the text alone tells what tying will do", jobs, summarize)
