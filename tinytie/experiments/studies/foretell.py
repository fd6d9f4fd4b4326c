"""Can it be told from the text alone, before training, whether tying will help?

For texts of many kinds: how much the two sides of a word have in common (`measure.sides`), and the
difference that tying makes at equal width, log test perplexity tied − untied, in nats.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tinytie.experiments.compare import LanguageJob, LanguageOptions
from tinytie.experiments.engine import Run
from tinytie.experiments.studies.study import SHORT, SMALL, Study, told, values
from tinytie.experiments.studies.texts import texts
from tinytie.measure.sides import sides
from tinytie.measure.similarity import interval, spearman


class Measured(NamedTuple):
    name: str
    beyond_chance: float
    gap: float  # tied − untied, nats a token


MEASURED = (  # by this study with three seeds
    Measured("classes, share 0", 0.065, 0.299),
    Measured("classes, share 0.25", 0.087, 0.235),
    Measured("classes, share 0.5", 0.138, 0.240),
    Measured("classes, share 0.75", 0.236, 0.267),
    Measured("classes, share 1", 0.420, 0.126),
    Measured("4 random successors, V = 200", 0.043, 0.445),
    Measured("12 random successors, V = 400", 0.068, 0.300),
    Measured("English, words", 0.191, 0.129),
    Measured("English, words backwards", 0.203, 0.116),
    Measured("English, words shuffled", 0.136, -0.011),
    Measured("English, subwords", 0.148, 0.149),
    Measured("English, characters", 0.274, -0.331),
    Measured("docstrings, words", 0.231, -0.027),
    Measured("Python source, tokens", 0.232, 0.060),
    Measured("Python source, characters", 0.183, 0.086),
    Measured("numbers in English", 0.785, -0.031),
    Measured("numbers in French", 0.509, 0.009),
    Measured("sums, digit by digit", 0.478, 0.004),
)


def jobs(seeds: int, options: LanguageOptions = SHORT) -> list[LanguageJob]:
    """Tied and untied on every text, for each seed."""
    return [
        LanguageJob(label=f"{name}, {'tied' if tied else 'untied'}, seed {seed}", tied=tied,
                    data=corpus, options=options.changed(seed=seed))
        for name, corpus in texts().items() for tied in (True, False) for seed in range(seeds)
    ]  # fmt: skip


def summarize(jobs: Sequence[LanguageJob], runs: Sequence[Run]) -> dict[str, Any]:
    """For each text both numbers; over all of them how they agree."""
    losses = {
        (job.data.name, job.tied, job.options.seed): run.found[1]
        for job, run in zip(jobs, runs, strict=True)
    }
    seeds = sorted({job.options.seed for job in jobs})
    rows = []
    for name, corpus in {job.data.name: job.data for job in jobs}.items():
        found = sides(corpus.train)
        gaps = [losses[name, True, seed] - losses[name, False, seed] for seed in seeds]
        rows.append({
            "text": name, "words": len(corpus.vocabulary), **found._asdict(),
            "beyond_chance": found.beyond_chance, "tied_minus_untied": values(gaps),
        })  # fmt: skip
    return {"rows": rows} | agreement(rows)


def agreement(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Spearman's correlation of what was told with what was measured, and what it hangs on.

    Its interval; the same with the size of the vocabulary held fixed (partial correlation); the
    weakest and the strongest where any one text is left out.
    """
    said = np.array([row["beyond_chance"] for row in rows])
    gaps = np.array([row["tied_minus_untied"]["mean"] for row in rows])
    sizes = np.array([row["words"] for row in rows])
    rho, by_size, gap_size = spearman(said, gaps), spearman(said, sizes), spearman(gaps, sizes)
    partial = (rho - by_size * gap_size) / math.sqrt((1 - by_size**2) * (1 - gap_size**2))
    without = [spearman(np.delete(said, i), np.delete(gaps, i)) for i in range(len(rows))]
    return {
        "spearman": rho, "interval": interval(rho, len(rows)), "size_held_fixed": partial,
        "without_one": [max(without), min(without)],
    }  # fmt: skip


def line(row: dict[str, Any]) -> list[str]:
    """One text."""
    numbers = [f"{row['words']:,}", f"{row['overlap']:.3f}", f"{row['chance']:.3f}"]
    return [row["text"], *numbers, f"{row['beyond_chance']:.2f}", told(row["tied_minus_untied"])]


STUDY = Study(
    "foretell", "whether the text alone tells what tying will do", jobs, summarize,
    ["text", "words", "overlap", "chance", "beyond chance", "tied − untied, nats"], line,
)  # fmt: skip
LONGER = STUDY._replace(name="foretell-longer", jobs=partial(jobs, options=SMALL))
