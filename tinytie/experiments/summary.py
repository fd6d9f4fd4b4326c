"""What the runs of a comparison say: a row for each arm, and one sentence over all."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from tinytie.experiments.experiment import NAMES, Arm, Run
from tinytie.measure.parameters import count_parameters
from tinytie.measure.perplexity import perplexity


class Spread(NamedTuple):
    """Perplexities of several seeds."""

    values: tuple[float, ...]

    @classmethod
    def of(cls, losses: Sequence[float]) -> Self:
        return cls(tuple(perplexity(loss) for loss in losses))

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the sample, n − 1 in the denominator; None for one seed."""
        if len(self.values) < 2:
            return None
        with np.errstate(invalid="ignore", over="ignore"):  # an infinite perplexity has none: nan
            return float(np.std(self.values, ddof=1))

    def __str__(self) -> str:
        spread = self.deviation
        return f"{self.mean:.1f}" + ("" if spread is None else f" ± {spread:.1f}")


class ArmResult(NamedTuple):
    """One row of the table."""

    arm: Arm
    parameters: int
    embedding: int
    train: Spread
    valid: Spread
    test: Spread
    seconds: float  # of processor time, mean over the seeds


def summarize(runs: Sequence[Run]) -> list[ArmResult]:
    """A row for each arm, in the order of NAMES."""
    arms = sorted({run.arm for run in runs}, key=lambda arm: NAMES.index(arm.name))
    return [arm_result(arm, [run for run in runs if run.arm == arm]) for arm in arms]


def arm_result(arm, runs):
    """The row of one arm, from its runs."""
    count = count_parameters(runs[0].model)
    return ArmResult(
        arm, count["total"], count["embedding"],
        Spread.of([run.train_loss for run in runs]),
        Spread.of([run.valid_loss for run in runs]),
        Spread.of([run.test_loss for run in runs]),
        float(np.mean([run.seconds for run in runs])),
    )  # fmt: skip


def sentence(results: Sequence[ArmResult]) -> str:
    """What these numbers show, and no more than that.

    Better and worse are said only where every seed of one arm beats every seed of the other.
    """
    untied, same_width, same_budget = results
    saved = 1 - same_width.parameters / untied.parameters
    text = (
        f"Test perplexity untied {untied.test}: tying at the same width took away {saved:.0%} of "
        f"the parameters and {verdict(same_width.test, untied.test)} ({same_width.test}); tying "
        f"with the untied model's number of parameters, at width {same_budget.arm.width} instead "
        f"of {untied.arm.width}, {verdict(same_budget.test, untied.test)} ({same_budget.test})."
    )
    if len(untied.test.values) == 1:
        text += " One seed is a look, not a result: another seed may turn this round."
    return text


def headline(results: Sequence[ArmResult]) -> str:
    """The same numbers as the title of a figure."""
    parts = [f"{result.arm.name} {result.test}" for result in results]
    return f"Test perplexity: {'; '.join(parts)}"


def verdict(tied: Spread, untied: Spread) -> str:
    """How the tied arm did."""
    several = len(tied.values) > 1
    if max(tied.values) < min(untied.values):
        return "was better in every seed" if several else "came out lower"
    if min(tied.values) > max(untied.values):
        return "was worse in every seed" if several else "came out higher"
    return "made no clear difference"
