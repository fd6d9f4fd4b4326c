"""`tinytie exercise`: one file, a folder, a class; exit status and the machine's line."""

import json
import shutil
import subprocess
import sys

import pytest

from tinytie.cli.main import main
from tinytie.course.shelf import lessons_folder

SOLUTIONS, STUBS = lessons_folder() / "solutions", lessons_folder() / "exercises"


def test_a_solved_exercise_exits_0(capsys):
    assert main(["exercise", "2", "--solutions", str(SOLUTIONS), "--json"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines[0] == "pass  lesson 02, exercise 1, lookup_backward_loop"
    assert lines[-1] == "4 of 4 exercises pass"
    (results,) = json.loads(last).values()
    assert [r["passed"] for r in results] == [True] * 4


def test_one_exercise_of_a_lesson_is_graded_alone(capsys):
    assert main(["exercise", "2.3", "--solutions", str(SOLUTIONS)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "pass  lesson 02, exercise 3, zero_rows"
    assert main(["exercise", "2.5"]) == 2
    assert "there is no exercise '2.5'; lesson 2 has 1 to 4" in capsys.readouterr().err


def test_a_stub_exits_1_and_says_so(capsys):
    assert main(["exercise", "02"]) == 1
    out = capsys.readouterr().out
    assert "FAIL  lesson 02, exercise 1, lookup_backward_loop" in out
    assert "lesson 02, exercise 1: write the loop" in out


def test_a_class_is_a_table_with_a_line_a_student(tmp_path, capsys):
    for student, source in (("anna", SOLUTIONS), ("bo", STUBS)):
        shutil.copytree(source, tmp_path / student)
    folders = [str(tmp_path / student) for student in ("anna", "bo")]
    assert main(["exercise", "1", "4", "--folder", *folders, "--json"]) == 1
    anna, bo, last = capsys.readouterr().out.splitlines()
    assert anna.split() == [folders[0], "5", "of", "5"]
    assert bo.split()[1:] == ["0", "of", "5", "open:", "01.1", "01.2", "01.3", "04.1", "04.2"]
    assert list(json.loads(last)) == folders


def test_bad_input_is_one_sentence_and_exits_2(tmp_path, capsys):
    assert main(["exercise", "77"]) == 2
    assert "there is no exercise '77'" in capsys.readouterr().err
    assert main(["exercise", "1", "--folder", str(tmp_path / "nobody")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["exercise", "1", "--limit", "0"])
    assert "--limit: must be a number above 0" in capsys.readouterr().err


def test_what_a_students_code_prints_is_shown(tmp_path, capsys):
    text = (SOLUTIONS / "01_one_matrix_two_jobs.py").read_text(encoding="utf-8")
    (tmp_path / "01_a.py").write_text(text + "\nprint('hello')\n", encoding="utf-8")
    assert main(["exercise", "1", "--folder", str(tmp_path)]) == 0
    assert "  your code printed: hello" in capsys.readouterr().out


def test_the_same_check_through_pytest_in_a_students_folder(tmp_path):
    anna = tmp_path / "anna"
    anna.mkdir()
    shutil.copy(STUBS / "test_exercises.py", anna)
    shutil.copy(STUBS / "04_one_matrix_two_paths.py", anna)
    shutil.copy(SOLUTIONS / "02_gradient_of_a_lookup.py", anna)
    options = ["-q", "-p", "no:cacheprovider", "-k", "02 or 04"]
    command = [sys.executable, "-m", "pytest", *options, "anna"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert process.returncode == 1
    assert "2 failed, 4 passed" in process.stdout
    assert "tied_backward: lesson 04, exercise 1: write the gradient" in process.stdout
    assert "Traceback" not in process.stdout


def test_start_copies_the_exercises_out_and_never_over_an_answer(tmp_path, capsys):
    mine = tmp_path / "my answers"
    assert main(["exercise", "2", "--start", str(mine)]) == 0
    (file,) = mine.iterdir()
    file.write_bytes((SOLUTIONS / file.name).read_bytes())
    assert main(["exercise", "--start", str(mine), "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["kept"] == [file.name] and len(found["new"]) == len(list(mine.iterdir())) - 1
    assert main(["exercise", "2", "--folder", str(mine)]) == 0
