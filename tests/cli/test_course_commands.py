"""`my-model`, `handouts`, hints: what a student is given, and what becomes of their functions."""

import subprocess
import sys
import zipfile

import pytest

from tinytie.cli.main import main
from tinytie.course.grading import exercises_of
from tinytie.course.shelf import graded_lessons, hint, lessons_folder

SOLUTIONS = lessons_folder() / "solutions"


@pytest.fixture
def answers(tmp_path):
    """A folder of a student's, with every solution that the page needs."""
    folder = tmp_path / "answers"
    folder.mkdir()
    for lesson in ("02", "03", "07", "08", "09", "10"):
        (path,) = SOLUTIONS.glob(f"{lesson}_*.py")
        (folder / path.name).write_text(path.read_text("utf-8"), "utf-8")
    return folder


def test_ones_own_functions_become_a_page_that_passes_and_agrees_with_the_package(
    answers, tmp_path, capsys
):
    assert main(["my-model", "--folder", str(answers), "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.count(" PASS") == 7
    assert "the reference" not in out.split("differ by")[0].replace("reference one", "")
    page = (tmp_path / "my_model.py").read_text("utf-8")
    assert "tinytie" not in page
    short = page.replace("range(4)", "range(1)")  # what it writes before it has learned
    (tmp_path / "my_model.py").write_text(short, "utf-8")
    run = subprocess.run(
        [sys.executable, "-I", tmp_path / "my_model.py"], capture_output=True, text=True
    )
    assert "after 0 epochs: perplexity 1489" in run.stdout, run.stderr


def test_who_has_written_nothing_goes_on_with_the_reference_and_is_told(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["my-model", "--folder", str(tmp_path / "empty"), "--out", str(tmp_path)]) == 0
    assert "the reference one stands there: lookup (lesson 02), " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lesson", "right", "wrong", "said"),
    [
        ("09", "dE_in + dE_out", "dE_out", "dE FAIL"),
        ("08", "dh_next = da @ U", "dh_next = 0 * da", "dU FAIL"),
        ("10", "0.9 * m + 0.1 * dw", "0.9 * m + dw", "They should agree to 1e-10: look at adam"),
        ("03", "ds[np.arange(N), y] -= 1", "pass", "dc FAIL"),
        ("09", "scores(o, E, c)", "scores(o, E)", "the page stops with TypeError"),
    ],
)
def test_a_wrong_function_is_found_on_the_page(
    answers, tmp_path, capsys, lesson, right, wrong, said
):
    (path,) = answers.glob(f"{lesson}_*.py")
    source = path.read_text("utf-8")
    assert right in source
    path.write_text(source.replace(right, wrong), "utf-8")
    assert main(["my-model", "--folder", str(answers), "--out", str(tmp_path)]) == 1
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("name", ["all", "all.zip"])
def test_handouts_hold_no_answers(tmp_path, capsys, name):
    assert main(["handouts", str(tmp_path / name)]) == 0
    if name.endswith("zip"):
        with zipfile.ZipFile(tmp_path / name) as archive:
            files = [file.removeprefix("lessons/") for file in archive.namelist()]
    else:
        files = [str(path.relative_to(tmp_path / name)) for path in (tmp_path / name).rglob("*")]
    assert {"STUDENTS.md", "exercises/04_one_matrix_two_paths.py"} <= set(files)
    assert not any("solutions" in file or file == "README.md" for file in files)
    assert main(["handouts", str(tmp_path / name)]) == 2
    assert "exists; name a folder" in capsys.readouterr().err


def test_every_exercise_of_the_hints_has_three(capsys):
    known = (lessons_folder() / "hints.txt").read_text("utf-8").splitlines()
    hinted = {line.split(" | ")[0] for line in known}
    tasks = {f"{int(n)}.{i}" for n in graded_lessons() for i in range(1, 1 + len(exercises_of(n)))}
    assert hinted <= tasks
    assert {task.split(".")[0] for task in tasks - hinted}.isdisjoint(
        task.split(".")[0] for task in hinted
    )
    assert all(hint(task, number) for task in hinted for number in (1, 2, 3))
    assert main(["exercise", "4.1", "--hint", "2"]) == 0
    assert "add both paths" in capsys.readouterr().out
    assert main(["exercise", "4", "--hint"]) == 2
