"""The course where there is no checkout: inside an installed package, and inside an archive."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import tinytie
from tinytie.course import handouts, shelf

ROOT = Path(tinytie.__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The package as a wheel lays it out."""
    folder = tmp_path_factory.mktemp("site") / "tinytie"
    litter = shutil.ignore_patterns("__pycache__", "*.png", "pictures")
    shutil.copytree(ROOT / "tinytie", folder, ignore=litter)
    shutil.copytree(ROOT / "lessons", folder / shelf.CARRIED, ignore=litter)
    return folder


@pytest.fixture(scope="module")
def archive(installed, tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "tinytie.pyz"
    with zipfile.ZipFile(path, "w") as file:
        for source in installed.rglob("*.py"):
            file.write(source, source.relative_to(installed.parent))
    return path


@pytest.mark.parametrize("kind", ["installed", "archive"])
def test_a_lesson_and_an_exercise_run_and_leave_the_package_as_it_is(kind, request, tmp_path):
    package = request.getfixturevalue(kind)
    path = package.parent if package.is_dir() else package
    inside = sorted(package.rglob("*"))

    def run(*words):
        return subprocess.run(
            [sys.executable, "-m", "tinytie", *words], cwd=tmp_path, text=True,
            capture_output=True, encoding="utf-8", check=False,
            env=os.environ | {"PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1",
                              "PYTHONUTF8": "1"},
        )  # fmt: skip

    done = run("lesson", "1", "--no-pause")
    assert done.returncode == 0, done.stderr
    (figure,) = tmp_path.rglob("01_*.png")
    assert figure.relative_to(tmp_path).as_posix() in done.stdout
    assert run("exercise").returncode == 2  # no answers here yet
    assert run("exercise", "2", "--start", ".").returncode == 0
    graded = run("exercise", "2")
    assert graded.returncode == 1 and "0 of 4 exercises pass" in graded.stdout, graded.stderr
    assert sorted(package.rglob("*")) == inside


def test_outside_a_checkout_answers_are_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(handouts, "lessons_folder", lambda: Path("site", shelf.CARRIED))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="--start my-answers"):
        handouts.answers_folder()
    (tmp_path / "02_gradient_of_a_lookup.py").touch()
    assert handouts.answers_folder() == tmp_path


def test_an_archive_without_lessons_says_so(tmp_path):
    with pytest.raises(ValueError, match="came without its lessons"):
        shelf.copy_tree(tmp_path / "nothing", tmp_path / "target")
