"""What a graded class leaves in its folder.

OUT/results.jsonl        a line a student, written when that student is done
OUT/grades.csv           student, exercise, points, of how many, status
OUT/feedback/NAME.txt    for each student the messages, and nobody else's
OUT/unused.txt           what was handed in and not graded, and why
OUT/summary.png          which exercise was hard, which mistake frequent
"""

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path

from tinytie.course.classroom import Marked
from tinytie.course.grading import Result, Task, cleaned
from tinytie.course.plan import Plan
from tinytie.files.atomic import atomic_file

UNWRITTEN = re.compile(r"lesson \d+, exercise \d+: |not written yet")  # what a stub says


def points_of(plan: Plan, one: Marked, result: Result) -> float:
    points = plan.points[Task(result.lesson, result.exercise)] if result.passed else 0.0
    return points * (plan.late if result.lesson in one.late else 1)


def write_all(out: Path, plan: Plan, everyone: Iterable[Marked], unused: list[str]) -> None:
    """The gradebook, the feedback, and the list of what was not used."""
    everyone = sorted(everyone)
    write(out / "grades.csv", table(plan, everyone))
    write(out / "unused.txt", "".join(cleaned(line) + "\n" for line in sorted(unused)))
    taken: set[str] = set()
    for one in everyone:
        name = re.sub(r"[^\w.-]+", "_", one.student).strip("._")[:100] or "student"
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        write(out / "feedback" / f"{name}.txt", feedback(plan, one))


def table(plan, everyone):
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["student", "exercise", "points", "of", "status"])
    for one in everyone:
        for result in one.results:
            task = Task(result.lesson, result.exercise)
            late = ", late" if result.lesson in one.late else ""
            points = f"{points_of(plan, one, result):g}"
            row = [str(task), points, f"{plan.points[task]:g}", result.status + late]
            rows.writerow([no_formula(cleaned(one.student)), *row])
    return file.getvalue()


def no_formula(text):
    """A cell that no spreadsheet takes for a formula."""
    return "'" + text if text[:1] in "=+-@" else text


def feedback(plan, one):
    """What one student is told."""
    got = sum(points_of(plan, one, result) for result in one.results)
    lines = [f"{cleaned(one.student)}: {got:g} of {sum(plan.points[t] for t in plan.tasks):g}"]
    for result in one.results:
        task = Task(result.lesson, result.exercise)
        points = f"{points_of(plan, one, result):g} of {plan.points[task]:g}"
        late = ", late" if result.lesson in one.late else ""
        lines.append(f"\n{task} {result.function}: {result.status}{late}, {points}")
        if result.message:
            lines.append(f"    {result.message}")
    if one.printed.strip():
        lines.append("\nYour code printed:")
        lines += [f"    {line}" for line in one.printed.splitlines()]
    return "\n".join(lines) + "\n"


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    with atomic_file(path) as file:
        file.write(text.encode())


def mistakes(everyone: Iterable[Marked]) -> dict[str, int]:
    """How often each message was given, the most frequent first; stubs and numbers aside."""
    counts: dict[str, int] = {}
    for one in everyone:
        for result in one.results:
            if result.status == "failed" and not UNWRITTEN.match(result.message):
                said = f"{int(result.lesson)}.{result.exercise}  {result.message}"
                said = re.sub(r"(?<=\s)[-−]?\d[\d.e+-]*(?=[\s,;:]|$)", "…", said)
                counts[said] = counts.get(said, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))
