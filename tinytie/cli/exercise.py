"""`tinytie exercise`: grade one exercise file, a folder of them, or a class of folders."""

from pathlib import Path

from tinytie.cli.options import above_zero
from tinytie.course.grading import grade
from tinytie.course.judge import exercises_of, graded_lessons
from tinytie.course.shelf import lessons_folder

HELP = "check the answers to a lesson's exercises, or to all"


def add_arguments(parser):
    parser.add_argument("number", nargs="*", help="of which lessons; without it, all")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--folder", nargs="+", metavar="DIR",
        help="where the answers are (default: lessons/exercises of the checkout that is installed, "
        "whatever the current folder); several make a table",
    )  # fmt: skip
    where.add_argument("--solutions", metavar="DIR", help="the same as --folder, for one folder")
    parser.add_argument(
        "--limit", type=above_zero, default=20, metavar="SECONDS", help="for one file (default 20)"
    )


def run(args):
    lessons = [number.zfill(2) for number in args.number] or graded_lessons()
    for lesson in lessons:
        exercises_of(lesson)  # a wrong number is reported before anything runs
    folders = folders_of(args)
    graded = {str(f): results_of(f, lessons, args.limit, len(folders) == 1) for f in folders}
    if len(graded) > 1:
        print_class(graded)
    passed = all(result.passed for results in graded.values() for result in results)
    found = {folder: [r._asdict() for r in results] for folder, results in graded.items()}
    return found, 0 if passed else 1


def folders_of(args):
    given = args.folder or ([args.solutions] if args.solutions else None)
    folders = [Path(f) for f in given] if given else [lessons_folder() / "exercises"]
    for folder in folders:
        if not folder.is_dir():
            raise ValueError(f"{folder} is not a folder; give one that holds 01_….py and so on")
    return folders


def results_of(folder, lessons, seconds, aloud):
    """All results of one folder, each said as it comes."""
    results = []
    for lesson in lessons:
        some, printed = grade(folder, lesson, seconds)
        results += some
        if aloud:
            say(some, printed)
    if aloud:
        print(f"{sum(r.passed for r in results)} of {len(results)} exercises pass")
    return results


def say(results, printed):
    for line in printed.splitlines():
        print(f"  your code printed: {line}")
    for r in results:
        line = f"{'pass' if r.passed else 'FAIL'}  lesson {r.lesson}, exercise {r.exercise}"
        print(f"{line}, {r.function}" + ("" if r.passed else f"\n      {r.message}"), flush=True)


def print_class(graded):
    """One line per folder: how many pass, and which do not."""
    width = max(map(len, graded))
    for folder, results in graded.items():
        open_ones = [f"{r.lesson}.{r.exercise}" for r in results if not r.passed]
        line = f"{folder:{width}}  {len(results) - len(open_ones)} of {len(results)}"
        print(line + (f"  open: {' '.join(open_ones)}" if open_ones else ""))
