"""Systems that people have: what theirs lacks is taken away here."""

import io
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import tinytie
from tinytie.course.shelf import all_lessons
from tinytie.printable import escape_what_is_missing
from tinytie.text.corpora import topics_corpus

# A browser and Windows: no such modules, no such calls. Then each command, where it is given.
BARE = """
import os, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "readline", "curses", "pydoc_data",
             "pydoc_data.topics", "_multiprocessing", "_posixshmem"):
    sys.modules[name] = None
for name in ("fork", "forkpty", "link", "symlink", "mkfifo", "getuid", "sched_getaffinity"):
    if hasattr(os, name):
        delattr(os, name)
import signal
for name in set(dir(signal)) & {"pthread_sigmask", "SIGKILL", "SIGTERM", "SIGHUP", "SIGALRM",
                                "SIGPIPE", "SIGUSR1", "SIGCHLD", "alarm", "setitimer"}:
    delattr(signal, name)
from tinytie.cli.main import main
for words in sys.argv[1:]:
    code = main(words.split("|"))
    if code:
        sys.exit(f"{words}: exit code {code}")
"""
SMALL = "--width|4|--epochs|1|--batch-size|8|--steps|8"
LEGACY = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C", "NO_COLOR": "1"}


def run(*words, cwd, **environment):
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, capture_output=True, check=False,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"} | environment,
    )  # fmt: skip


def test_the_main_road_needs_nothing_of_posix_nor_a_second_process(tmp_path):
    folder = tmp_path / "проба ñ 日本"
    folder.mkdir()
    commands = [
        f"compare|--quick|{SMALL}|--seeds|1|--out|runs 日",
        f"train|{SMALL}|--out|m é.safetensors", f"train|{SMALL}|--out|m é.safetensors",
        "evaluate|m é.safetensors|--sentence|the loss − ŷ", "sample|m é.safetensors|--length|5",
        "params|m é.safetensors", "lesson", "check|--cell|rnn|--layers|1",
        "exercise|1|--start|mine",
    ]  # fmt: skip
    process = run("-c", BARE, *commands, cwd=folder, **LEGACY)
    said = process.stdout.decode("cp1252")
    assert process.returncode == 0, process.stderr.decode()
    assert "this Python has no pydoc_data" in said and b"Traceback" not in process.stderr
    assert (folder / "m é.safetensors.previous").is_file()  # the second save worked too


def test_without_pydoc_data_our_own_docstrings_are_the_text(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    corpus = topics_corpus()
    assert corpus.name.startswith("docstrings of tinytie")
    assert len(corpus.train) > 20_000 and "gradient" in corpus.vocabulary.ids


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_letter_that_a_code_page_lacks_is_escaped(name, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, name, stream)
    escape_what_is_missing()
    print("é −ŷ", file=stream, flush=True)
    assert stream.buffer.getvalue().split() == [b"\xe9", b"\\u2212\\u0177"]


def test_a_lesson_runs_on_an_old_code_page_and_each_asks_for_it_before_it_prints(tmp_path):
    for lesson in all_lessons():
        text = lesson.path.read_text(encoding="utf-8")
        first = text.partition("\nprint(")[0]
        assert re.search(r"from (tinytie\.plots\.lessons|figures) import", first), lesson.path
    (lesson,) = (lesson for lesson in all_lessons() if lesson.number == "18")
    assert "−" in text  # it prints one
    copy = tmp_path / lesson.path.name
    copy.write_bytes(lesson.path.read_bytes())
    root = os.path.dirname(os.path.dirname(os.path.abspath(tinytie.__file__)))
    path = f"{root}{os.pathsep}{lesson.path.parent}"  # with the figures of the lessons
    process = run(copy.name, cwd=tmp_path, PYTHONPATH=path, **LEGACY)
    assert process.returncode == 0, process.stderr.decode()
    assert b"loss = \\u2212log" in process.stdout


def test_false_warnings_of_a_product_stop_nothing():
    """Apple's library sets flags without a reason, and NumPy warns; the numbers are right."""
    model = tinytie.RNNLM(9, 4, rng=0)
    x = np.array([[1, 2, 3]])
    with np.errstate(all="warn"), pytest.warns(RuntimeWarning):
        np.log(np.zeros(1))  # as such a product does
        result = model.loss_and_grads(x, x)
    assert tinytie.check_model(model, x, x).verdict == "PASS" and np.isfinite(result.loss)
