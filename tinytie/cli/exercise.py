"""`tinytie exercise`: grade one exercise, one file, a folder of them, or some folders."""

import secrets
from pathlib import Path

from tinytie.cli.files import file_name
from tinytie.cli.options import above_zero
from tinytie.course.grading import files_of, graded, tasks_of
from tinytie.course.handouts import answers_folder, hand_out
from tinytie.course.seat import Limits
from tinytie.course.shelf import hint
from tinytie.printable import printable

HELP = "check the answers to a lesson's exercises, or to all"
EXAMPLE = "tinytie exercise --start my-answers"


def add_arguments(parser):
    parser.add_argument(
        "number", nargs="*", help="of a lesson, as 4, or of one exercise, as 4.1; without it, all"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--start", type=file_name, metavar="DIR", help="copy the exercises there, to be written"
    )
    where.add_argument(
        "--folder", nargs="+", metavar="DIR",
        help="where the answers are (default: lessons/exercises of the checkout that is installed, "
        "whatever the current folder; without a checkout, the current folder); several make a "
        "table; for a class, see `tinytie grade`",
    )  # fmt: skip
    where.add_argument("--solutions", metavar="DIR", help="the same as --folder, for one folder")
    parser.add_argument(
        "--hint", nargs="?", type=int, const=1, choices=(1, 2, 3), metavar="N",
        help="a hint for one exercise instead of a grade: 1, a plainer 2, or 3, the place to read",
    )  # fmt: skip
    add_limits(parser)


def add_limits(parser):
    """What `exercise` and `grade` have in common."""
    parser.add_argument(
        "--limit", type=above_zero, default=Limits().seconds, metavar="SECONDS",
        help="for loading a file and one exercise of it (default %(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--no-package", action="store_true",
        help="answers may not import tinytie, except where the exercise needs it",
    )  # fmt: skip


def run(args):
    if args.hint:
        given = hint(".".join(args.number), args.hint)
        print(given)
        return {"hint": given}, 0
    tasks = tasks_of(args.number)
    if args.start:
        return start(Path(args.start), sorted({task.lesson for task in tasks})), 0
    folders = folders_of(args)
    seed = secrets.randbits(64)
    found = {str(f): results_of(f, tasks, args, seed, len(folders) == 1) for f in folders}
    if len(found) > 1:
        print_class(found)
    passed = all(result.passed for results in found.values() for result in results)
    told = {folder: [r._asdict() for r in results] for folder, results in found.items()}
    return told, 0 if passed else 1


def start(folder, lessons):
    """Hand out the files of these lessons."""
    new, kept = hand_out(folder, lessons)
    shown = printable(str(folder))
    print(f"{len(new)} files to write in: {shown}")
    if kept:
        print(f"{len(kept)} were there and stay as they are")
    print(f"Check them with `tinytie exercise --folder {shown}`, one with `tinytie exercise "
          f"{int(lessons[0])} --folder {shown}`.")  # fmt: skip
    return {"folder": str(folder), "new": [f.name for f in new], "kept": [f.name for f in kept]}


def folders_of(args):
    given = args.folder or ([args.solutions] if args.solutions else None)
    folders = [Path(f) for f in given] if given else [answers_folder()]
    for folder in folders:
        if not folder.is_dir():
            raise ValueError(f"{folder} is not a folder; give one that holds 01_….py and so on")
    return folders


def results_of(folder, tasks, args, seed, aloud):
    """All results of one folder, each said as it comes."""
    results: list = []
    open_ends: list = []
    files = files_of(folder, {task.lesson for task in tasks})
    limits = Limits(seconds=args.limit)
    for some, printed, missing in graded(files, tasks, limits, not args.no_package, seed):
        results, open_ends = results + some, missing
        if aloud:
            say(some, printed)
    if aloud:
        print(f"{sum(r.passed for r in results)} of {len(results)} exercises pass")
        if open_ends:
            print(f"not contained on this system: {'; '.join(open_ends)}")
    return results


def say(results, printed):
    for line in printed.splitlines():
        print(f"  your code printed: {line}")
    for r in results:
        line = f"{'pass' if r.passed else 'FAIL'}  lesson {r.lesson}, exercise {r.exercise}"
        print(f"{line}, {r.function}" + ("" if r.passed else f"\n      {r.message}"), flush=True)


def print_class(graded):
    """A line a folder: how many pass, and which do not."""
    width = max(map(len, graded))
    for folder, results in graded.items():
        open_ones = [f"{r.lesson}.{r.exercise}" for r in results if not r.passed]
        line = f"{folder:{width}}  {len(results) - len(open_ones)} of {len(results)}"
        print(line + (f"  open: {' '.join(open_ones)}" if open_ones else ""))
