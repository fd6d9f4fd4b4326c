"""`tinytie grade`: what a class handed in becomes a gradebook, with feedback for each student."""

import os
from pathlib import Path

from tinytie.cli.exercise import add_limits
from tinytie.cli.options import few
from tinytie.course.classroom import Keeper, grade_class
from tinytie.course.gradebook import mistakes, write_all
from tinytie.course.grading import cleaned
from tinytie.course.plan import plan_of
from tinytie.course.seat import Limits
from tinytie.course.submissions import submissions_in

HELP = "grade what a class handed in"
EXAMPLE = "tinytie grade handed-in --out gradebook"


def add_arguments(parser):
    parser.add_argument("submissions", metavar="SUBMISSIONS", help="a folder or a zip")
    parser.add_argument("--out", required=True, metavar="DIR", help="for grades and feedback")
    parser.add_argument("--plan", metavar="FILE", help="exercises, points and deadlines, as TOML")
    parser.add_argument("--resume", action="store_true", help="go on where a run was stopped")
    parser.add_argument(
        "--jobs", type=few, default=os.cpu_count() or 1, metavar="N",
        help="students at a time (default: one a processor)",
    )  # fmt: skip
    add_limits(parser)


def run(args):
    """The exit code is 1 where something that was handed in could not be graded."""
    plan = plan_of(Path(args.plan).read_text(encoding="utf-8") if args.plan else "")
    submissions, unused = submissions_in(Path(args.submissions))
    if not submissions:
        raise ValueError(f"{args.submissions} holds no student's folder, file or zip")
    out = Path(args.out)
    keeper, everyone = Keeper(out, args.resume), []
    limits = Limits(seconds=args.limit)
    try:
        running = grade_class(submissions, plan, keeper, args.jobs, limits, not args.no_package)
        for one in running:
            everyone.append(one)
            say(one, len(everyone), len(submissions))
    finally:
        write_all(out, plan, everyone, unused)
    draw(out, plan, everyone)
    tell(out, everyone, unused)
    empty = [one.student for one in submissions if not one.files]
    passed = {one.student: sum(r.passed for r in one.results) for one in everyone}
    faults = any(r.status == "not graded" for one in everyone for r in one.results)
    return {"passed": passed, "unused": unused}, 1 if unused or empty or faults else 0


def say(one, done, of):
    passed = sum(result.passed for result in one.results)
    line = f"{cleaned(one.student)}: {passed} of {len(one.results)} exercises"
    print(f"{done:4} of {of}  {line}", flush=True)


def draw(out, plan, everyone):
    from tinytie.plots.grades import plot_grades  # loads matplotlib

    names = [str(task) for task in plan.tasks]
    statuses = [[result.status for result in one.results] for one in everyone]
    plot_grades(names, statuses, mistakes(everyone)).savefig(out / "summary.png", dpi=120)


def tell(out, everyone, unused):
    for line in unused:
        print(cleaned(f"not used: {line}"))
    if missing := dict.fromkeys(what for one in everyone for what in one.missing):
        print(f"not contained on this system: {'; '.join(missing)}")
    print(f"{out}: grades.csv, feedback, summary.png")
