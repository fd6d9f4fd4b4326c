"""What a check says: a row for each parameter, a verdict over all, and the cause if known."""

import math
from dataclasses import dataclass, field
from typing import Any

PASS, FAIL, UNCHECKED = "PASS", "FAIL", "UNCHECKED"


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
        line = f"{self.verdict:9} {self.name:16} worst relative error {self.error:8.1e}"
        line += f" (allowed {self.tolerance:7.1e})"
        line += f" at {self.place}" if self.index is not None else ""
        return line + (f": {self.reason}" if self.reason else "")

    def details(self) -> list[str]:
        """What a person wants to know about a wrong gradient."""
        if self.verdict != FAIL or not self.size:
            return []
        meaning = f" ({self.meaning})" if self.meaning else ""
        ratio = f", ratio {self.ratio:.9g}" if self.numeric else ""
        return [
            f"{self.place}{meaning}: analytic {self.analytic:.9g}, "
            f"numeric {self.numeric:.9g}{ratio}",
            f"{self.name}: {self.off} of {self.size} entries are off: {self.pattern}",
        ]


@dataclass(frozen=True)
class Report:
    """All rows; FAIL if one fails, otherwise UNCHECKED if one could not be checked, else PASS.

    cause is a key of `CAUSES`, or None; explanation says it in words, or why there is none.
    """

    rows: list[Row] = field(default_factory=list)
    cause: str | None = None
    explanation: str = ""

    @property
    def verdict(self) -> str:
        verdicts = {row.verdict for row in self.rows}
        if FAIL in verdicts:
            return FAIL
        return UNCHECKED if UNCHECKED in verdicts or not verdicts else PASS

    def __str__(self) -> str:
        lines = [str(row) for row in self.rows]
        details = [line for row in self.rows for line in row.details()]
        lines += ["", *details] if details else []
        if self.verdict == FAIL:
            named = f"cause: {self.cause}" if self.cause else "cause: not known"
            lines.append(f"{named}: {self.explanation}" if self.explanation else named)
        return "\n".join([*lines, f"verdict: {self.verdict}"])

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, which knows no infinity and no NaN: None stands there."""
        rows = [{key: plain(value) for key, value in row.__dict__.items()} for row in self.rows]
        said = {"cause": self.cause, "explanation": self.explanation}
        return {"verdict": self.verdict, **said, "rows": rows}


def plain(value):
    """A value that JSON can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return list(value) if isinstance(value, tuple) else value
