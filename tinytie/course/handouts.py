"""Handing out the exercises: files to write in, copied to a folder of one's own."""

from pathlib import Path
from typing import NamedTuple

from tinytie.course.shelf import lessons_folder

EXERCISES = "[0-9][0-9]_*.py"


class Handed(NamedTuple):
    new: list[Path]
    kept: list[Path]  # files that were there, which stay as they are


def hand_out(folder: Path, numbers: list[str]) -> Handed:
    """Copy the exercises with these numbers (01, 02, …) to the folder, made where there is none.

    No file that is there is touched. Raises OSError where the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handed = Handed([], [])
    for source in sorted((lessons_folder() / "exercises").glob(EXERCISES)):
        target = folder / source.name
        if source.name[:2] in numbers and target.exists():
            handed.kept.append(target)
        elif source.name[:2] in numbers:
            target.write_bytes(source.read_bytes())
            handed.new.append(target)
    return handed


def answers_folder() -> Path:
    """Where answers are without a word about it: in a checkout beside its lessons, which are there
    to be written in; else in the working folder. Raises ValueError where there are none.
    """
    lessons = lessons_folder()
    folder = lessons / "exercises" if lessons.name == "lessons" else Path.cwd()
    if not any(folder.glob(EXERCISES)):
        raise ValueError(
            "there are no exercises in the working folder; `tinytie exercise --start my-answers` "
            "copies them out, and `tinytie exercise --folder my-answers` checks them"
        )
    return folder
