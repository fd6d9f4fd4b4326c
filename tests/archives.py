"""Builds the wheel and the source archive, looks inside, installs the wheel elsewhere and runs it.

    python tests/archives.py [--tests]

--tests also runs the tests of the unpacked source archive. Exit code 1, and a sentence, where
something is wrong. Needs what `pip install -e '.[dev]'` installs.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).parents[1]
IN_BOTH = ("01_one_matrix_two_jobs.py", "exercises/01_one_matrix_two_jobs.py", "README.md")
COMMANDS = (
    "--version", "lesson", "lesson 1 --no-pause", "exercise 1 --start my-answers", "params",
    "check --cell rnn --layers 1", "compare --quick --width 8 --epochs 1 --out runs/quick",
)  # fmt: skip


def main():
    with tempfile.TemporaryDirectory(prefix="archives ") as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT, cwd=folder)
        (wheel,), (source,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
        run(sys.executable, "-m", "twine", "check", "--strict", wheel, source, cwd=folder)
        look_into_the_wheel(wheel)
        unpacked = look_into_the_source(source, folder)
        python = install(wheel, folder / "env")
        use(python, folder / "empty folder")
        if "--tests" in sys.argv:
            run(python, "-m", "pip", "install", "-q", "pytest", "hypothesis", cwd=folder)
            run(python, "-m", "pytest", "-q", cwd=unpacked)
    print("both archives hold what they should, and the wheel runs in an empty folder")


def run(*words, cwd):
    """What a program prints; its error ends ours."""
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def look_into_the_wheel(path):
    """The course is in it, nothing of the workshop is, and its page works away from here."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        told = HeaderParser().parsestr(archive.read(about).decode())
    expect(all(f"tinytie/_lessons/{name}" in names for name in IN_BOTH), "lessons in the wheel")
    expect("tinytie/py.typed" in names, "py.typed in the wheel")
    tops = {name.partition("/")[0] for name in names}
    expect(tops == {"tinytie", about.partition("/")[0]}, f"nothing else in the wheel: {tops}")
    expect(not [name for name in names if name.endswith((".png", ".pyc"))], "no litter")
    expect(told["Description-Content-Type"] == "text/markdown", "a README in Markdown")
    page = told.get_payload()
    expect(isinstance(page, str) and not re.search(r"\]\((?!https?:|#)", page), "absolute links")


def look_into_the_source(path, folder):
    """Pictures, tests and lessons are in it."""
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / path.name.removesuffix(".tar.gz")
    for name in (".images/two_paths.png", "tests/test_readme.py", "LICENSE", ".github"):
        expect((unpacked / name).exists(), f"{name} in the source archive")
    expect(all((unpacked / "lessons" / name).is_file() for name in IN_BOTH), "lessons in it")
    return unpacked


def install(wheel, folder):
    """A fresh environment with the wheel in it; its Python."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run(python, "-m", "pip", "install", "-q", wheel, cwd=folder)
    return python


def use(python, folder):
    """The first commands of a newcomer, where there is nothing else; the package stays as it is."""
    folder.mkdir()
    where = run(python, "-c", "import tinytie; print(tinytie.__file__)", cwd=folder).strip()
    before = contents(Path(where).parent)
    for words in COMMANDS:
        run(python, "-m", "tinytie", *words.split(), cwd=folder)
    expect(list(folder.rglob("01_*.png")), "the figure in the working folder")
    expect(contents(Path(where).parent) == before, "nothing written into the installed package")


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def expect(true, what):
    if not true:
        sys.exit(f"not so: {what}")


if __name__ == "__main__":
    main()
