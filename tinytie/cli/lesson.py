"""`tinytie lesson`: the list of lessons, or one of them, played in the terminal."""

from tinytie.course.player import play, steps_of, typed, waits
from tinytie.course.shelf import all_lessons, find_lesson

HELP = "list the lessons, or play one cell after cell"
EXAMPLE = "tinytie lesson 1"


def add_arguments(parser):
    parser.add_argument("number", nargs="?", help="which lesson to play; without it, list them")
    parser.add_argument(
        "--step",
        type=int,
        default=1,
        metavar="N",
        help="begin there; what comes before runs unseen",
    )
    parser.add_argument("--no-pause", action="store_true", help="run through without waiting")


def run(args):
    return list_lessons(args) if args.number is None else play_lesson(args)


def list_lessons(args):
    lessons = all_lessons()
    for lesson in lessons:
        about = lesson.fields
        print(f"{lesson.number}  {lesson.title}\n    {about['question']}")
        print(f"    reading {about['reading']}, exercise {about['exercise']}, run {about['run']}")
    print("\nPlay one with `tinytie lesson 1`, check its exercise with `tinytie exercise 1`.")
    rows = [{"number": one.number, "title": one.title, **one.fields} for one in lessons]
    return {"lessons": rows}, 0


def play_lesson(args):
    lesson = find_lesson(args.number)
    last = len(steps_of(lesson))
    if not 1 <= args.step <= last:
        raise ValueError(f"lesson {lesson.number} has the steps 1 to {last}, and no {args.step}")
    ask = typed if waits() and not args.no_pause else None
    finished = play(lesson, ask, args.step)
    found = {"lesson": lesson.number, "finished": finished}
    return found, 0 if finished or ask else 1
