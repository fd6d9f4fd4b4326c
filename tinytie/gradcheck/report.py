"""What a check says: a row for each parameter, a verdict over all, and the cause if known."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tinytie.gradcheck.diagnosis.pattern import pattern_of

PASS, FAIL, UNCHECKED = "PASS", "FAIL", "UNCHECKED"
AT_LEAST = "at least this one"  # the pattern where one wrong entry was searched for


@dataclass(frozen=True)
class Row:
    """One parameter: its worst entry, the bound it was held to, and what that says."""

    name: str
    verdict: str
    error: float  # the worst entry's |analytic − numeric|, over the largest |numeric|
    tolerance: float  # what that error may be
    index: tuple | None  # where the worst entry is; None where no single entry was looked at
    analytic: float
    numeric: float
    reason: str = ""  # why it is not checked, or why it fails without a comparison
    off: int = 0  # how many entries are wrong
    size: int = 0  # of how many
    pattern: str = ""  # and where they are
    meaning: str = ""  # what the worst entry stands for

    @property
    def ratio(self) -> float:
        """analytic / numeric at the worst entry; not a number where numeric is 0."""
        return self.analytic / self.numeric if self.numeric else float("nan")

    @property
    def place(self) -> str:
        """The worst entry, as in E[4, 1]."""
        return self.name if not self.index else f"{self.name}[{', '.join(map(str, self.index))}]"

    def __str__(self) -> str:
        line = f"{self.verdict:9} {self.name:16} "
        if math.isnan(self.error) or math.isnan(self.tolerance):
            return line + (self.reason or "not compared")
        line += f"worst relative error {self.error:8.1e} (allowed {self.tolerance:7.1e})"
        line += f" at {self.place}" if self.index is not None else ""
        return line + (f": {self.reason}" if self.reason else "")

    def details(self) -> list[str]:
        """What a person wants to know about a wrong gradient."""
        if self.verdict != FAIL or not self.size:
            return []
        meaning = f" ({self.meaning})" if self.meaning else ""
        ratio = f", ratio {self.ratio:.9g}" if self.numeric else ""
        count = f"{self.off} of {self.size} entries are off: {self.pattern}"
        if self.pattern == AT_LEAST:
            count = f"at least {self.off} of {self.size} entries is off"
        return [
            f"{self.place}{meaning}: analytic {self.analytic:.9g}, "
            f"numeric {self.numeric:.9g}{ratio}",
            f"{self.name}: {count}",
        ]


@dataclass(frozen=True, repr=False)
class Report:
    """All rows; FAIL if one fails, otherwise UNCHECKED if one could not be checked, else PASS.

    As a condition it is true only where every row PASSes, so that `assert check_gradients(...)`
    can fail. cause is a key of `CAUSES`, or None; explanation says it in words, or why there is
    none; notes say more about what is wrong, a line each; wrong holds (analytic, numeric) of rows
    that FAIL, to be drawn.
    """

    rows: list[Row] = field(default_factory=list)
    cause: str | None = None
    explanation: str = ""
    notes: tuple[str, ...] = ()
    wrong: dict[str, tuple] = field(default_factory=dict, compare=False)  # name -> both gradients

    @property
    def verdict(self) -> str:
        verdicts = {row.verdict for row in self.rows}
        if FAIL in verdicts:
            return FAIL
        return UNCHECKED if UNCHECKED in verdicts or not verdicts else PASS

    @property
    def ok(self) -> bool:
        """Whether every row PASSes."""
        return self.verdict == PASS

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [str(row) for row in self.rows]
        details = [line for row in self.rows for line in row.details()]
        lines += ["", *details] if details else []
        lines += self.notes
        if self.verdict == FAIL:
            named = f"cause: {self.cause}" if self.cause else "cause: not known"
            lines.append(f"{named}: {self.explanation}" if self.explanation else named)
        return "\n".join([*lines, f"verdict: {self.verdict}"])

    __repr__ = __str__

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, which knows no infinity and no NaN: None stands there."""
        rows = [{key: plain(value) for key, value in row.__dict__.items()} for row in self.rows]
        said = {"cause": self.cause, "explanation": self.explanation, "notes": list(self.notes)}
        return {"verdict": self.verdict, **said, "rows": rows}


class Measured(NamedTuple):
    """An array's gradient, given and measured, and what the comparison says."""

    row: Row
    analytic: np.ndarray
    numeric: np.ndarray | None = None
    bound: float = 0.0  # how far `numeric` may be off
    slope: Callable | None = None  # the measured slope along any direction of length 1
    moves: Callable | None = None  # whether the loss changes anywhere far along the array


def wrong_arrays(measured):
    """Name -> (analytic, numeric) of what FAILs and has been measured entry by entry."""
    return {
        m.row.name: (m.analytic, m.numeric)
        for m in measured
        if m.row.verdict == FAIL and m.numeric is not None and m.numeric.shape == m.analytic.shape
    }


def plain(value):
    """A value that JSON can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return list(value) if isinstance(value, tuple) else value


ROUGH = "the differences at several steps do not agree"


def vacuous(size, rough):
    """Why a gradient of this size cannot be compared; rough: the loss is, more than by rounding."""
    if size == 0:
        return "the loss does not depend on it at this point, so nothing is compared"
    if rough:
        return f"{ROUGH}: the loss is too rough"
    return "its gradient is too small beside the rounding of the differences to be compared"


def unchecked(name, reason, index=None):
    """A row without a comparison."""
    return Row(name, UNCHECKED, math.nan, math.nan, index, math.nan, math.nan, reason)


def failed_row(name, reason, size=0):
    """A gradient that cannot even be compared."""
    return Row(name, FAIL, math.inf, math.nan, None, math.nan, math.nan, reason, size, size)


def not_finite(name, analytic):
    """A gradient that holds NaN or infinity is wrong wherever the loss is finite."""
    wrong = ~np.isfinite(analytic)
    index = first(wrong)
    reason = f"the gradient is {analytic[index]} at {list(index)}"
    return Row(
        name, FAIL, math.inf, math.nan, index, float(analytic[index]), math.nan, reason,
        int(wrong.sum()), wrong.size, pattern_of(wrong),
    )  # fmt: skip


def first(mask):
    """The first True, as a tuple of ints."""
    return integers(np.unravel_index(mask.argmax(), mask.shape))


def integers(index):
    return tuple(int(i) for i in index)
