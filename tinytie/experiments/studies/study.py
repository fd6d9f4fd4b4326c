"""What a study is: jobs for the engine, and what is made of their runs."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tinytie.experiments.compare import LanguageOptions

SHORT = LanguageOptions(width=24, epochs=6, decay_after=3, dropout=0.0, rate=5e-3)
SMALL = SHORT.changed(epochs=20, decay_after=8, patience=3)  # to where it is best


class Study(NamedTuple):
    name: str
    question: str
    jobs: Callable[[int], list[Any]]  # number of seeds -> jobs
    summarize: Callable[[Sequence[Any], Sequence[Any]], dict[str, Any]]  # jobs, runs -> record
    head: Sequence[str]  # of the table
    line: Callable[[dict[str, Any]], list[str]]  # a row of the record -> a line of the table


def values(found: Sequence[float]) -> dict[str, Any]:
    """Mean, sample deviation (None for one value) and the values themselves, as JSON."""
    deviation = float(np.std(found, ddof=1)) if len(found) > 1 else None
    return {
        "mean": float(np.mean(found)),
        "deviation": deviation,
        "values": list(map(float, found)),
    }


def told(spread: dict[str, Any], digits: int = 2) -> str:
    """0.29 ± 0.02, or 0.29 alone for one seed."""
    deviation = spread["deviation"]
    more = "" if deviation is None else f" ± {deviation:.{digits}f}"
    return f"{spread['mean']:.{digits}f}{more}"
