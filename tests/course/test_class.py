"""A class: what platforms export is matched to students, graded, and written down."""

import csv
import datetime
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile

import pytest

from tinytie.cli.main import main
from tinytie.course.classroom import Keeper, marked
from tinytie.course.desk.processes import children_of_all, descendants
from tinytie.course.gradebook import mistakes
from tinytie.course.plan import plan_of
from tinytie.course.seat import Limits, Seat
from tinytie.course.shelf import lessons_folder
from tinytie.course.submissions import submissions_in

ONE, TWO = "01_one_matrix_two_jobs.py", "02_gradient_of_a_lookup.py"
RIGHT = (lessons_folder() / "solutions" / ONE).read_text(encoding="utf-8")
STUB = (lessons_folder() / "exercises" / ONE).read_text(encoding="utf-8")
CELLS = [
    {"cell_type": "markdown", "source": ["# def onehot(x, V): pass"]},
    {"cell_type": "code", "source": ["%matplotlib inline\n", *RIGHT.splitlines(keepends=True)]},
    {"cell_type": "code", "source": "print(1 / 0)\ndef unfinished(:"},
    {"cell_type": "code", "source": "E = 3\nraise SystemExit"},
]
NOTEBOOK = json.dumps({"cells": CELLS, "nbformat": 4})


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("anna/" + ONE, "anna"),
        ("anna/week 1/answers/" + ONE, "anna"),
        ("anna/hw.py", "anna"),
        ("anna/ps1/homework.ipynb", "anna"),
        (f"anna/{ONE[:-3]} (1).py", "anna"),
        ("tying-anna/lessons/exercises/" + ONE, "tying-anna"),
        ("Anna Ömer_1234_assignsubmission_file_/" + ONE, "Anna Ömer"),
        ("Anna Ömer_1234_assignsubmission_file_" + ONE, "Anna Ömer"),
        ("omeranna_12_345_" + ONE, "omeranna"),
        ("omeranna_LATE_12_345_" + ONE[:-3] + "-2.py", "omeranna"),
        ("Homework 1_aomer_attempt_2026-11-20-10-15-30_" + ONE, "aomer"),
        ("anna_2026-11-20_" + ONE, "anna"),
        ("anna omer " + ONE, "anna omer"),
        ("anna.zip/" + ONE, "anna"),
        ("anna/all.zip/deep/" + ONE, "anna"),
        ("Anna Ömer_1234_assignsubmission_file_hw.zip/hw/" + ONE, "Anna Ömer"),
    ],
)
def test_every_shape_of_an_export_finds_its_student(tmp_path, path, student):
    put(tmp_path, path, NOTEBOOK if path.endswith("ipynb") else RIGHT)
    (one,), unused = submissions_in(tmp_path)
    assert (one.student, list(one.files), unused) == (student, ["01"], [])
    assert "def share_saved" in one.files["01"].source
    assert "1 / 0" not in one.files["01"].source


def put(folder, path, text):
    """Write the text at this path, a part of which may be a zip."""
    outer, _, inner = path.partition(".zip/")
    place = folder / (outer + ".zip" if inner else path)
    place.parent.mkdir(parents=True, exist_ok=True)
    if inner:
        with zipfile.ZipFile(place, "a") as archive:
            archive.writestr(inner, text)
    else:
        place.write_text(text, encoding="utf-8")


def test_what_cannot_be_matched_is_listed_and_a_stray_file_stops_nothing(tmp_path):
    strays = {
        "notes.txt": "its name says no student", ONE: "its name says no student",
        "bo/essay.docx": "it is no .py, .ipynb or .zip",
        "cy/poem.py": "it defines no function of an exercise",
        "dee.zip": "it is no zip that can be read",
        "anna/02_link.py": "it is a link, or no file",
        "anna/01_old.py": f"anna/{ONE[:-3]} (2).py is taken for lesson 01",
    }  # fmt: skip
    for path in strays:
        if "link" not in path:
            put(tmp_path, path, STUB if path.startswith("anna") else "x = 1")
    put(tmp_path, f"anna/{ONE[:-3]} (2).py", RIGHT)
    (tmp_path / "eve").mkdir()
    (tmp_path / "anna" / "02_link.py").symlink_to(lessons_folder() / "solutions" / TWO)
    submissions, unused = submissions_in(tmp_path)
    assert [one.student for one in submissions] == ["anna", "bo", "cy", "dee", "eve"]
    assert [list(one.files) for one in submissions] == [["01"], [], [], [], []]
    assert len(unused) == len(strays), unused
    for path, why in list(strays.items())[1:]:
        assert any(path in line and why in line for line in unused), (path, unused)


def test_two_students_of_one_name_stay_two(tmp_path):
    for number, text in ((11, RIGHT), (22, STUB)):
        put(tmp_path, f"Kim Lee_{number}_assignsubmission_file_/{ONE}", text)
    submissions, _ = submissions_in(tmp_path)
    assert [one.student for one in submissions] == ["Kim Lee 11", "Kim Lee 22"]


def test_a_bomb_in_a_zip_is_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "anna.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../" + ONE, b"#" * 30_000_000)
    (one,), unused = submissions_in(tmp_path)
    assert one.files == {}
    assert unused[0].endswith("it is too large")
    assert [path.name for path in tmp_path.iterdir()] == ["anna.zip"]


def test_all_of_a_large_zip_is_read_or_listed(tmp_path):
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for student in range(300):
            for lesson in range(1, 11):
                archive.writestr(f"student{student}/{lesson:02}_a.py", "x = 1")
    submissions, unused = submissions_in(tmp_path / "class.zip")
    assert len(submissions) == 300
    assert sum(len(one.files) for one in submissions) == 3000
    assert unused == []


def test_what_a_zip_leaves_out_is_listed(tmp_path, monkeypatch):
    monkeypatch.setattr("tinytie.course.handed_in.ZIP_LIMIT", 100_000)
    for number in range(1, 5):
        put(tmp_path, f"anna.zip/0{number}_a.py", "x = 1")
    (one,), unused = submissions_in(tmp_path)
    assert len(one.files) == 2
    assert unused == ["anna.zip: the last 2 of its 4 files are not read"]


@pytest.mark.parametrize("name", ["..", "", "../..", "a" * 5000 + ".py", "x/" * 900 + "y.py"])
def test_an_odd_name_in_a_zip_costs_that_file_alone(tmp_path, name):
    put(tmp_path, "anna.zip/" + ONE, RIGHT)
    with zipfile.ZipFile(tmp_path / "anna.zip", "a") as archive:
        archive.writestr(zipfile.ZipInfo(name), RIGHT)
    (one,), unused = submissions_in(tmp_path)
    assert list(one.files) == ["01"]
    assert len(unused) == 1
    assert len(unused[0]) < 1000


def test_a_damaged_file_in_a_zip_costs_that_file_alone(tmp_path):
    place = tmp_path / "anna.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("03_a.py", "damaged" * 99)
        dated = zipfile.ZipInfo("02_a.py")
        archive.writestr(dated, "x = 2")
        archive.writestr(ONE, RIGHT)
    data = bytearray(place.read_bytes())
    start = data.index(b"03_a.py") + len(b"03_a.py")
    data[start : start + 4] = b"\xff" * 4
    entry = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4)
    data[entry + 12 : entry + 16] = b"\0" * 4  # the first of January 1980 without its month
    place.write_bytes(data)
    (one,), unused = submissions_in(tmp_path)
    assert list(one.files) == ["01", "02"]
    assert ["03_a.py" in line for line in unused] == [True]


def test_names_in_a_zip_that_does_not_say_its_encoding(tmp_path):
    name = "Anna Ömer/" + ONE
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("Anna ..mer/" + ONE), RIGHT)
    data = (tmp_path / "class.zip").read_bytes()
    coded = data.replace(b"Anna ..mer", "Anna Ömer".encode())
    (tmp_path / "class.zip").write_bytes(coded)
    (one,), _ = submissions_in(tmp_path / "class.zip")
    assert one.student == name.partition("/")[0]


@pytest.mark.parametrize(
    "cell",
    [
        "x = " + "-" * 100_000 + "1",
        "(" * 9_999,
        "a" + ".a" * 50_000,
        "\ud800",
        "\0",
        "1" + "0" * 9_999,
    ],
)
def test_a_cell_that_python_cannot_read_costs_that_cell_alone(tmp_path, cell):
    cells = [{"cell_type": "code", "source": text} for text in (cell, RIGHT)]
    put(tmp_path, "anna/hw.ipynb", json.dumps({"cells": cells}))
    (one,), unused = submissions_in(tmp_path)
    assert (list(one.files), unused) == (["01"], [])


def test_a_file_that_cannot_be_opened_is_listed(tmp_path, monkeypatch):
    put(tmp_path, "anna/" + ONE, RIGHT)
    put(tmp_path, "bo/" + ONE, RIGHT)
    opens = os.stat

    def refuses(path, **options):
        if "bo" in str(path) and str(path).endswith(".py"):
            raise PermissionError(13, "no")
        return opens(path, **options)

    monkeypatch.setattr(os, "stat", refuses)
    anna, _ = submissions_in(tmp_path)[0]
    assert list(anna.files) == ["01"]


PLAN = """
exercises = ["1", "2.3"]
late = 0.5
[points]
"1" = 2
"1.3" = 3
[deadlines]
"1" = 2026-11-20
"""


def test_a_plan_gives_points_and_deadlines():
    plan = plan_of(PLAN)
    assert {str(task): points for task, points in plan.points.items()} == {
        "1.1": 2, "1.2": 2, "1.3": 3, "2.3": 1,
    }  # fmt: skip
    assert plan.deadlines == {"01": datetime.datetime(2026, 11, 21)}  # after the whole day


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = ", "no TOML"),
        ("weight = 1", "the plan says weight; it may say"),
        ('[points]\n"1" = -1', "must be a number of at least 0"),
        ('[points]\n"1.9" = 1', "there is no exercise '1.9'; lesson 1 has 1 to 3"),
        ('[deadlines]\n"1" = "soon"', "must be a date"),
        ("late = true", "late must be a number"),
    ],
)
def test_a_plan_that_is_wrong_is_one_sentence(text, words):
    with pytest.raises(ValueError, match=words):
        plan_of(text)


@pytest.fixture
def handed_in(tmp_path):
    """Three students: one right, one late with the stubs, one whose name is a formula."""
    place = tmp_path / "in"
    put(place, "anna_1_assignsubmission_file_/" + ONE, RIGHT)
    put(place, f"bo_2026-11-22_{ONE}", STUB.replace("def onehot", "def other") + "print('\x1b[2J')")
    put(place, "=cmd()/" + ONE, RIGHT + "\ndef share_saved(V, D, other): return 0.5\n")
    os.utime(place / "anna_1_assignsubmission_file_" / ONE, (1e9, 1e9))
    os.utime(place / "=cmd()" / ONE, (1e9, 1e9))
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    return tmp_path


def grade(folder, *more):
    words = ["grade", folder / "in", "--out", folder / "out", "--plan", folder / "plan.toml", *more]
    return main([*map(str, words), "--jobs", "2"])


def test_a_class_becomes_grades_feedback_and_a_picture(handed_in, capsys):
    assert grade(handed_in, "--json") == 0
    out = handed_in / "out"
    lines = capsys.readouterr().out.splitlines()
    assert json.loads(lines[-1]) == {"passed": {"=cmd()": 2, "anna": 3, "bo": 0}, "unused": []}
    rows = [*csv.reader((out / "grades.csv").read_text(encoding="utf-8").splitlines())]
    assert rows[:2] == [["student", "exercise", "points", "of", "status"],
                        ["'=cmd()", "1.1", "2", "2", "passed"]]  # fmt: skip
    assert ["anna", "1.3", "3", "3", "passed"] in rows
    assert ["anna", "2.3", "0", "1", "missing"] in rows
    assert ["bo", "1.1", "0", "2", "failed, late"] in rows
    assert len(rows) == 1 + 3 * 4
    anna, bo, cmd = (
        (out / "feedback" / f"{name}.txt").read_text(encoding="utf-8")
        for name in ("anna", "bo", "cmd")
    )
    assert anna.startswith("anna: 7 of 8")
    assert f"{ONE} has no function onehot" in bo
    assert "\\x1b[2J" in bo and "\x1b" not in bo
    assert "the rest is not halved" in cmd and "the rest is not halved" not in anna + bo
    assert (out / "summary.png").stat().st_size > 10_000


def test_a_run_goes_on_where_it_was_stopped(handed_in, capsys):
    assert grade(handed_in) == 0
    kept = handed_in / "out" / "results.jsonl"
    first = kept.read_text(encoding="utf-8").splitlines()
    grades = (handed_in / "out" / "grades.csv").read_text(encoding="utf-8")
    assert grade(handed_in) == 2
    assert "go on with --resume" in capsys.readouterr().err
    kept.write_text("\n".join(first[:-1]) + "\n" + first[-1][:30], encoding="utf-8")
    assert grade(handed_in, "--resume") == 0
    again = kept.read_text(encoding="utf-8").splitlines()
    assert again[:-1] == first[:-1]  # what was done is not done again
    assert (handed_in / "out" / "grades.csv").read_text(encoding="utf-8") == grades


def test_one_bad_student_costs_the_others_nothing(handed_in, capsys, monkeypatch):
    """Sources that grow on the wire, a name that would forge lines, a fault of the grader."""
    put(handed_in, "in/cy/" + ONE, "#" + "\1" * 800_000)
    cells = [{"cell_type": "code", "source": "x = [" + "1, " * 200_000 + "]\n" + RIGHT}]
    put(handed_in, "in/dee/" + ONE[:-3] + ".ipynb", json.dumps({"cells": cells}))
    put(handed_in, "in/eve\n   1 of 1  anna: 4 of 4/" + ONE, STUB)
    assert grade(handed_in, "--json") == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert json.loads(last)["passed"]["anna"] == 3
    assert sum("  anna: " in line for line in lines) == 1
    out = handed_in / "out"
    assert "larger than half a megabyte" in (out / "feedback" / "cy.txt").read_text()
    assert "larger than half a megabyte" in (out / "feedback" / "dee.txt").read_text()
    assert (
        (out / "feedback" / "eve_1_of_1_anna_4_of_4.txt")
        .read_text()
        .startswith("eve 1 of 1 anna: 4 of 4: 0 of")
    )
    table = (out / "grades.csv").read_text(encoding="utf-8")
    students = {row[0] for row in csv.reader(table.splitlines())}
    assert len(students) == 1 + 6 and "anna" in students


def test_a_fault_of_the_grader_is_said_and_costs_one_student(handed_in, monkeypatch):
    (one, *_), plan = submissions_in(handed_in / "in")[0], plan_of(PLAN)

    def fails(*_, **__):
        raise RuntimeError("a law of ours")

    monkeypatch.setattr("tinytie.course.classroom.graded", fails)
    got = marked(one, plan, {})
    assert [r.status for r in got.results] == ["not graded"] * 4
    assert "a law of ours" in got.results[0].message


def test_ctrl_c_keeps_what_is_done_and_leaves_no_process(handed_in):
    for student in ("cy", "dee"):
        put(handed_in, f"in/{student}/{ONE}", "while True: pass")
    words = [sys.executable, "-m", "tinytie", "grade", "in", "--out", "out", "--jobs", "2"]
    with subprocess.Popen(words, cwd=handed_in, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout.readline().startswith("   1 of 5")
        below = descendants(grader.pid)
        grader.send_signal(signal.SIGINT)
        assert grader.wait(60) == 130
    assert below
    deadline = time.monotonic() + 10
    while left := set(below) & set(itertools.chain(*children_of_all().values())):
        assert time.monotonic() < deadline, left
    done = len((handed_in / "out" / "results.jsonl").read_text().splitlines()) - 1
    rows = (handed_in / "out" / "grades.csv").read_text(encoding="utf-8").splitlines()
    assert 1 <= done < 5
    assert len({row.partition(",")[0] for row in rows[1:]}) == done


def test_the_mistakes_of_a_class_are_counted(handed_in):
    grade(handed_in)
    counted = mistakes(Keeper(handed_in / "out", resume=True).done.values())
    assert any("a half is the share" in message for message in counted)
    assert not any("exercise 2: count" in message for message in counted)  # of a stub


def test_bad_input_of_grade_is_one_sentence(tmp_path, capsys):
    for words, said in {
        ("nowhere",): "there is no nowhere",
        (str(tmp_path),): "holds no student's folder, file or zip",
    }.items():
        assert main(["grade", *words, "--out", str(tmp_path / "out")]) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_without_the_package_an_answer_stands_on_its_own():
    with Seat(Limits(), package=False) as seat:
        message = seat.open("01_a.py", "import numpy\nimport tinytie.ops")
        assert message == (
            "it stops with ImportError at line 2 of 01_a.py: tinytie may not be used in this answer"
        )
        seat.close()
        if not seat.missing:
            found = "import sys\nassert not any(map(__import__('os').path.exists, [PATH]))"
            path = str(lessons_folder().parent / "tinytie" / "ops")
            assert seat.open("01_a.py", found.replace("PATH", repr(path))) == ""


def test_the_recipe_for_gradescope_makes_its_file(tmp_path):
    guide = (lessons_folder() / "README.md").read_text(encoding="utf-8")
    script = re.findall(r"```bash\n(.*?)```", guide, re.DOTALL)[0]
    put(tmp_path, "submission/" + ONE, RIGHT)
    (tmp_path / "results").mkdir()
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    subprocess.run(["bash", "-c", script.replace("/autograder", str(tmp_path))],
                   env=os.environ | {"PATH": path}, check=True)  # fmt: skip
    tests = json.loads((tmp_path / "results" / "results.json").read_text())["tests"]
    assert [test["score"] for test in tests] == [1, 1, 1, 0, 0, 0, 0]
    assert tests[3]["output"] == "there is no file 02_*.py"
