"""`tinytie handouts`: what students get, without the answers and without the teacher's page."""

import shutil
import tempfile
from pathlib import Path

from tinytie.course.shelf import lessons_folder

HELP = "make a folder, or a .zip, of the lessons and stubs for students, without answers"
EXAMPLE = "tinytie handouts course.zip"
LEFT_OUT = ("solutions", "README.md", "pictures", "__pycache__", ".*", "*.pyc", "my_model.py")


def add_arguments(parser):
    parser.add_argument("out", help="a folder that does not exist yet, or the name of a .zip")


def run(args):
    out = Path(args.out)
    if out.exists():
        raise ValueError(f"{args.out!r} exists; name a folder or a .zip that does not")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "lessons")
        shutil.copytree(lessons_folder(), made, ignore=shutil.ignore_patterns(*LEFT_OUT))
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.suffix == ".zip":
            shutil.make_archive(str(out.with_suffix("")), "zip", folder)
        else:
            shutil.copytree(made, out)
        files = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    print(f"{out}: {len(files)} files, lessons, stubs and STUDENTS.md, no answers")
    return {"files": files}, 0
