"""Whatever a student's file does, each exercise gets one clear sentence."""

import itertools

import numpy as np
import pytest

from tinytie.course.answers import Exercise
from tinytie.course.desk.processes import children_of_all, descendants
from tinytie.course.evidence import law_of_gradient
from tinytie.course.grading import exercises_of, files_of, graded, tasks_of, verdict
from tinytie.course.seat import Limits, Seat

SQUARE = Exercise(
    "square", lambda answer: answer.array((3,), x=np.array([1.0, 2.0, 3.0]), options=[1])
)


@pytest.fixture(scope="module")
def message_of():
    """What a file with this code is told."""
    with Seat() as seat:

        def of(code):
            problem = seat.open("01_a.py", code)
            message = problem or verdict(seat, SQUARE, np.random.default_rng())
            seat.close()
            return message

        yield of


def grade(folder, lesson, seconds=10.0):
    """One lesson's file in a folder: its results, and what the file printed."""
    files = files_of(folder, [lesson])
    ((results, printed, _),) = graded(files, tasks_of([lesson]), Limits(seconds))
    return results, printed


HEAD = "import numpy as np\ndef square(x, options):\n    "


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("pass", "it returns None: is a return missing?"),
        ("return 1 / 0", "it stops with ZeroDivisionError at line 3 of 01_a.py: division by zero"),
        ("return x[7]", "IndexError at line 3"),
        ("return x[:2]", "it must return an array of shape (3,), and returns shape (2,)"),
        ("return 4.0", "and returns one number"),
        (
            "return 'x * x'",
            "it must return an array of shape (3,), and returns something of type str",
        ),
        ("return x * np.nan", "its result holds NaN or infinity"),
        ("return x / 0", "its result holds NaN or infinity"),
        ("x *= x\n    return x", "it changes its argument x in place"),
        ("options.append(2)\n    return x", "it changes its argument options in place"),
        ("return x * np.random.default_rng().random()", "two different answers"),
        ("raise SystemExit('bye')", "it stops with SystemExit at line 3 of 01_a.py: bye"),
        ("return square(x, options)", "RecursionError"),
        ("raise NotImplementedError", "not written yet"),
        ("return x * x", ""),
    ],
)
def test_what_a_function_does_wrong_is_one_sentence(message_of, body, words):
    message = message_of(HEAD + body)
    assert words in message if words else not message
    assert "\n" not in message
    assert "Traceback" not in message


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def square(x:\n    pass", "line 1 of 01_a.py is no Python"),
        ("import tortoise_and_hare", "ModuleNotFoundError at line 1 of 01_a.py"),
        ("raise SystemExit", "it stops with SystemExit at line 1"),
        ("def circle(x): pass", "01_a.py has no function square"),
        ("square = 3", "01_a.py has no function square"),
        ("def square(x): return x", "TypeError"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(message_of, code, words):
    assert words in message_of(code)


def test_a_loop_without_an_end_costs_one_exercise_and_no_more(tmp_path):
    (tmp_path / "01_a.py").write_text(
        "def onehot(x, V):\n    while True:\n        pass\n"
        "def embedding_parameters(V, D, tied):\n    print('here')\n    return V * D * (2 - tied)\n"
        "def share_saved(V, D, other):\n    import os\n    os._exit(0)\n",
        encoding="utf-8",
    )
    (one, two, three), printed = grade(tmp_path, "01", seconds=3)
    assert "did not come back within 3 seconds" in one.message
    assert two.passed
    assert three.message == "it ends the Python process"
    assert printed.startswith("here\n")


def test_odd_results_are_said(tmp_path):
    (tmp_path / "04_a.py").write_text(
        "def tied_backward(E, W, x, y): return [[1], [2, 3]]\n"
        "def rejected(repeats): return [float('inf')]\n",
        encoding="utf-8",
    )
    (one, two), _ = grade(tmp_path, "04")
    assert one.message == "it must return an array of shape (7, 4), and returns a list of 2 things"
    assert two.message.startswith("what it returns cannot be judged: OverflowError")


def test_a_missing_file_and_two_files_are_said(tmp_path):
    missing = grade(tmp_path, "01")[0][0]
    assert (missing.message, missing.status) == ("there is no file 01_*.py", "missing")
    for name in ("01_a.py", "01_b.py"):
        (tmp_path / name).touch()
    results, _ = grade(tmp_path, "01")
    assert "holds 2 files 01_*.py" in results[0].message
    assert len(results) == len(exercises_of("01"))


def test_an_unknown_exercise_is_a_sentence():
    with pytest.raises(ValueError, match="there is no exercise '77'; there are 01 02"):
        exercises_of("77")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: -d, "wrong sign"),
        (lambda d: 3 * d, "every entry is 3 times"),
        (lambda d: 0 * d, "it returns zeros"),
        (lambda d: d + np.eye(3, 2), "2 of 6 entries are off, in the rows cat, dog"),
        (lambda d: d + 1, "the one suspect"),
    ],
)
def test_a_wrong_gradient_is_described_by_what_fits_it(change, words):
    x = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])

    def loss():
        return float(np.sum(x**3))

    suspects = lambda: {"the one suspect": 3 * x**2 + 1}
    rows = ["cat", "dog", "mat"]
    law_of_gradient(3 * x**2, loss, x, suspects, rows)
    with pytest.raises(Exception, match=words):
        law_of_gradient(change(3 * x**2), loss, x, suspects, rows)


def test_without_rooms_no_process_is_left(monkeypatch):
    """A burst of forks, each in a session of its own: all of them end with the file."""
    monkeypatch.setattr(Seat, "modes", [(False, True)])
    source = (
        "import os, time\n"
        "for i in range(12):\n"
        "    if not os.fork():\n"
        "        os.setsid()\n"
        "        if i % 2 and os.fork(): os._exit(0)\n"
        "        print(os.getpid(), flush=True)\n"
        "        time.sleep(30)\n"
        "        os._exit(0)\n"
        "time.sleep(0.5)\n"
    )
    with Seat() as seat:
        try:
            seat.open("01_a.py", "")
        except ValueError as error:
            pytest.skip(str(error))
        seat.close()
        problem = seat.open("01_a.py", source + "def square(x, options): return x * x")
        below = descendants(seat.program.pid)
        left = [int(line) for line in seat.close().split()]
        assert (problem, seat.missing != []) == ("", True)
        assert len(left) == 12
        assert len(below) > 12
        assert not set(left) & set(itertools.chain(*children_of_all().values()))
        assert descendants(seat.program.pid) == []


def test_a_system_that_cannot_fork_grades_too_and_says_what_is_open(monkeypatch):
    monkeypatch.delattr("os.fork")
    monkeypatch.setattr(Seat, "modes", [(False, False)])
    with Seat() as seat:
        for _ in range(2):  # each file in a new process
            assert seat.open("01_a.py", HEAD + "print('here')\n    return x * x") == ""
            assert verdict(seat, SQUARE, np.random.default_rng()) == ""
            assert seat.close() == "here\nhere\n"
        assert seat.missing == ["nothing but the time: this system cannot fork"]
        assert "stops with ZeroDivisionError" in seat.open("01_a.py", "1 / 0")
