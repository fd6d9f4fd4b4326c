"""A class graded, some students at a time, and the results kept as they come."""

import concurrent.futures
import hashlib
import json
import multiprocessing
import os
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tinytie.course.desk import fence
from tinytie.course.grading import Result, graded, result_of
from tinytie.course.plan import Plan
from tinytie.course.program import Program
from tinytie.course.seat import Limits, Uncontained
from tinytie.course.submissions import Submission


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
    missing: dict[str, None] = {}
    try:
        for some, printed, open_ends in graded(submission.files, plan.tasks, **options):
            results += some
            said += printed
            missing |= dict.fromkeys(open_ends)
    except (Uncontained, OSError):  # as for everybody
        raise
    except Exception as error:  # a fault of ours, and no reason to leave the others ungraded
        why = f"the grader failed: {type(error).__name__}, {error}"
        results += [result_of(task, why, "not graded") for task in plan.tasks[len(results) :]]
    late = [
        lesson for lesson, when in submission.when.items()
        if lesson in plan.deadlines and (submission.late or when > plan.deadlines[lesson])
    ]  # fmt: skip
    return Marked(submission.student, results, said[:10_000], [*missing], late)


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
