"""What a check says: a row for each parameter, and a verdict over all."""

from dataclasses import dataclass, field

PASS, FAIL, UNCHECKED = "PASS", "FAIL", "UNCHECKED"


@dataclass(frozen=True)
class Row:
    """One parameter: its worst entry, the bound it was held to, and what that says."""

    name: str
    verdict: str
    error: float  # the worst entry's |analytic − numeric|, over the largest |numeric|
    tolerance: float  # what that error may be
    index: tuple | None  # where the worst entry is
    analytic: float
    numeric: float
    reason: str = ""  # why it is not checked

    def __str__(self) -> str:
        where = "" if self.index is None else f"[{', '.join(map(str, self.index))}]"
        line = f"{self.verdict:9} {self.name:16} worst relative error {self.error:8.1e}"
        line += f" (allowed {self.tolerance:7.1e}) at {where or 'none'}"
        if self.verdict == FAIL:
            line += f": analytic {self.analytic:.6g}, numeric {self.numeric:.6g}"
        return line + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True)
class Report:
    """All rows; FAIL if one fails, otherwise UNCHECKED if one could not be checked, else PASS."""

    rows: list[Row] = field(default_factory=list)
    cause: str | None = None

    @property
    def verdict(self) -> str:
        verdicts = {row.verdict for row in self.rows}
        if FAIL in verdicts:
            return FAIL
        return UNCHECKED if UNCHECKED in verdicts or not verdicts else PASS

    def __str__(self) -> str:
        return "\n".join([*map(str, self.rows), f"verdict: {self.verdict}"])
