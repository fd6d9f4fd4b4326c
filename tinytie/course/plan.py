"""What is asked of a class, for how many points, and until when: a small TOML file."""

import datetime
import tomllib
from typing import NamedTuple

from tinytie.course.grading import Task, tasks_of


class Plan(NamedTuple):
    """What is asked, for how many points, until when.

    Of a TOML file, each part of which may be missing:

        exercises = ["2", "4.1"]                # all exercises of lesson 2, and the first of 4
        late = 0.5                              # of the points, after the deadline; 0 if missing
        [points]
        "2" = 1                                 # for each exercise of lesson 2
        "4.1" = 3
        [deadlines]
        "2" = 2026-11-20T23:59:00
    """

    tasks: list[Task]
    points: dict[Task, float]
    deadlines: dict[str, datetime.datetime]
    late: float


def plan_of(text: str) -> Plan:
    """Read a plan. Raises ValueError with what is wrong in it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the plan is no TOML: {error}") from None
    if unknown := set(data) - {"exercises", "late", "points", "deadlines"}:
        known = "exercises, late, points and deadlines"
        raise ValueError(f"the plan says {', '.join(sorted(unknown))}; it may say {known}")
    tasks = tasks_of(map(str, data.get("exercises", [])))
    points = dict.fromkeys(tasks, 1.0)
    for words, value in sorted(data.get("points", {}).items(), key=lambda item: "." in item[0]):
        points |= dict.fromkeys(tasks_of([words]), number(value, f"points of {words!r}"))
    deadlines: dict[str, datetime.datetime] = {}
    for words, value in data.get("deadlines", {}).items():
        if not isinstance(value, datetime.date):
            raise ValueError(f"the deadline of {words!r} must be a date, as 2026-11-20T23:59:00")
        moment = datetime.datetime(*value.timetuple()[:6])
        if not isinstance(value, datetime.datetime):
            moment += datetime.timedelta(days=1)  # the whole of that day
        deadlines |= {task.lesson: moment for task in tasks_of([words])}
    return Plan(tasks, points, deadlines, number(data.get("late", 0), "late"))


def number(value, what):
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise ValueError(f"{what} must be a number of at least 0, and is {value!r}")
    return float(value)
