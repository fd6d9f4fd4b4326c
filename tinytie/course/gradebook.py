"""A class graded: results kept as they come, then grades, feedback and a summary.

OUT/results.jsonl        a line a student, written when that student is done
OUT/grades.csv           student, exercise, points, of how many, status
OUT/feedback/NAME.txt    for each student the messages, and nobody else's
OUT/unused.txt           what was handed in and not graded, and why
OUT/summary.png          which exercise was hard, which mistake frequent
"""

import concurrent.futures
import csv
import hashlib
import io
import json
import multiprocessing
import os
import re
import secrets
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tinytie.course.desk import fence
from tinytie.course.grading import Result, Task, graded
from tinytie.course.plan import Plan
from tinytie.course.program import Program
from tinytie.course.seat import Limits
from tinytie.course.submissions import Submission
from tinytie.printable import printable

UNWRITTEN = re.compile(r"lesson \d+, exercise \d+: |not written yet")  # what a stub says


class Marked(NamedTuple):
    """All results of one student."""

    student: str
    results: list[Result]
    printed: str
    missing: list[str]  # what the system did not contain
    late: list[str]  # lessons


def marked(submission: Submission, plan: Plan, options: dict) -> Marked:
    """One student, from the first exercise to the last."""
    results: list[Result] = []
    said = ""
    missing: list[str] = []
    for some, printed, missing in graded(submission.files, plan.tasks, **options):  # noqa: B007
        results += some
        said += printed
    late = [
        lesson for lesson, when in submission.when.items()
        if lesson in plan.deadlines and (submission.late or when > plan.deadlines[lesson])
    ]  # fmt: skip
    return Marked(submission.student, results, said[:10_000], missing, late)


class Keeper:
    """The file of results: what is done stays done, whatever happens next."""

    def __init__(self, out: Path, resume: bool) -> None:
        self.path = out / "results.jsonl"
        self.seed = secrets.randbits(64)
        self.done: dict[str, Marked] = {}
        if self.path.exists() and self.path.stat().st_size:
            if not resume:
                raise ValueError(
                    f"{out} holds the results of an earlier run; go on with --resume, or give "
                    "another folder"
                )
            self.read()
        else:
            out.mkdir(parents=True, exist_ok=True)
            self.write({"seed": self.seed})

    def read(self):
        """What is there; a last line that was not finished is dropped."""
        try:
            whole = self.path.read_text(encoding="utf-8").split("\n")
            lines = [json.loads(line) for line in whole[:-1]]
            self.seed = lines[0]["seed"]
            for line in lines[1:]:
                results = [Result(*result) for result in line["results"]]
                rest = (line["printed"], line["missing"], line["late"])
                self.done[line["key"]] = Marked(line["student"], results, *rest)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ValueError(f"{self.path} is damaged ({error}); remove it") from None
        self.path.write_text("\n".join([*whole[:-1], ""]), encoding="utf-8")

    def keep(self, key: str, one: Marked) -> None:
        self.done[key] = one
        self.write({"key": key} | one._asdict())

    def write(self, line):
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def key_of(submission: Submission, plan: Plan) -> str:
    """Equal where the same student handed in the same files for the same exercises."""
    files = {name: file._asdict() for name, file in submission.files.items()}
    told = [submission.student, files, plan.tasks, submission.late]
    told += [{name: str(when) for name, when in submission.when.items()}, str(plan.deadlines)]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def grade_class(
    submissions: list[Submission], plan: Plan, keeper: Keeper, jobs: int,
    limits: Limits, package: bool,
) -> Iterator[Marked]:  # fmt: skip
    """Each student's results, as they come; those of an earlier run first."""
    keys = {key_of(submission, plan): submission for submission in submissions}
    for key in [key for key in keys if key in keeper.done]:
        yield keeper.done[key]
        del keys[key]
    options = {"limits": limits, "package": package, "seed": keeper.seed}
    pool = concurrent.futures.ProcessPoolExecutor(
        min(jobs, len(keys)) or 1, multiprocessing.get_context("spawn"), tidy, (os.getpid(),)
    )
    try:
        running = {pool.submit(marked, one, plan, options): key for key, one in keys.items()}
        for future in concurrent.futures.as_completed(running):
            key = running[future]
            keeper.keep(key, future.result())
            yield keeper.done[key]
    except concurrent.futures.BrokenExecutor:
        raise ValueError("a process of the grader was ended; go on with --resume") from None
    except BaseException:
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def tidy(grader):
    """In a worker: go when the grader goes, and clean up on the way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader ends its workers itself
    signal.signal(signal.SIGTERM, go)
    fence.prctl(fence.PDEATHSIG, signal.SIGTERM)
    if hasattr(os, "getppid") and os.getppid() != grader:
        go()  # it went before we could ask to be told


def go(*_):
    for program in list(Program.running):
        program.end()
    os._exit(1)


def points_of(plan: Plan, one: Marked, result: Result) -> float:
    points = plan.points[Task(result.lesson, result.exercise)] if result.passed else 0.0
    return points * (plan.late if result.lesson in one.late else 1)


def write_all(out: Path, plan: Plan, everyone: Iterable[Marked], unused: list[str]) -> None:
    """The gradebook, the feedback, and the list of what was not used."""
    everyone = sorted(everyone)
    write(out / "grades.csv", table(plan, everyone))
    write(out / "unused.txt", "".join(printable(line) + "\n" for line in sorted(unused)))
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
            rows.writerow([no_formula(printable(one.student)), *row])
    return file.getvalue()


def no_formula(text):
    """A cell that no spreadsheet takes for a formula."""
    return "'" + text if text[:1] in "=+-@" else text


def feedback(plan, one):
    """What one student is told."""
    got = sum(points_of(plan, one, result) for result in one.results)
    lines = [f"{printable(one.student)}: {got:g} of {sum(plan.points[t] for t in plan.tasks):g}"]
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
    """The old file or the new one, whole."""
    path.parent.mkdir(exist_ok=True)
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


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
