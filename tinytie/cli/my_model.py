"""`tinytie my-model`: a student's own functions on one page, checked, ready to train and write."""

from pathlib import Path

from tinytie.course.handouts import answers_folder
from tinytie.course.page import page_of
from tinytie.files.atomic import atomic_file

HELP = "put your own functions of the exercises on one page: a language model that trains"
EXAMPLE = "tinytie my-model --out my-page"


def add_arguments(parser):
    parser.add_argument(
        "--folder", metavar="DIR", help="where your answers are (default: lessons/exercises)"
    )
    parser.add_argument("--out", default=".", metavar="DIR", help="where to put my_model.py")


def run(args):
    from tinytie.course import trial  # the models are slow to import

    folder = Path(args.folder) if args.folder else answers_folder()
    if not folder.is_dir():
        raise ValueError(f"{args.folder} is not a folder; give one that holds 02_….py and so on")
    page, text = page_of(folder), trial.english()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    for name, content in (("my_model.py", page.source), ("english.txt", text)):
        with atomic_file(out / name) as file:
            file.write(content.encode())
    lines = len(page.source.splitlines())
    print(f"{out / 'my_model.py'}: {lines} lines; {out / 'english.txt'}: what it reads")
    if page.skipped:
        print(f"not written yet, so the reference one stands there: {', '.join(page.skipped)}")
    if page.borrowed:
        print(f"it runs only where tinytie is installed, for it says: {'; '.join(page.borrowed)}")
    return tried(page, text, out)


def tried(page, text, out):
    """Check the page's gradients and its first steps of training."""
    from tinytie.course import trial

    found = {"skipped": page.skipped, "verdict": "FAIL", "apart": None}
    try:
        module = trial.module_of(page.source, str(out / "my_model.py"))
        report = trial.checked(module)
    except Exception as error:
        print(f"the page stops with {type(error).__name__}: {error}; see `tinytie exercise 9`")
        return found, 1
    rows = {row.name: row for row in report.rows}
    for name in "cpPbUWE":  # from the loss down
        print(f"d{name} {rows[name].verdict}")
    found["verdict"] = report.verdict
    if report.verdict != "PASS":
        print(
            "The first FAIL shows the line; `tinytie exercise 2 3 7 8 9` says what is wrong there."
        )
        return found, 1
    found["apart"] = trial.apart(module, text)
    print(f"30 steps of training: your losses and the package's differ by {found['apart']:.0e}")
    if found["apart"] > 1e-10:
        print("They should agree to 1e-10: look at adam, `tinytie exercise 10`.")
        return found, 1
    print(f"Now let it learn and write, half a minute:  python {out / 'my_model.py'}")
    return found, 0
