"""Runs in processes of their own: whatever ends the parent, by event and not by the clock, ends
them. A process that stayed behind would keep the pipe open that the tests read to its end."""

import multiprocessing
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tinytie.experiments import workers
from tinytie.experiments.compare import LanguageOptions, jobs_of
from tinytie.text.corpora import text_corpus

BOUND = 120  # seconds; only a failure takes so long
TEXT = "tie it twice or not at all\n" * 60
ENDLESS = LanguageOptions(width=4, batch_size=2, steps=3, epochs=10**9, patience=None)


def endless_jobs():
    corpus = text_corpus("here", (TEXT, TEXT[:200], TEXT[:200]), min_count=1)
    return jobs_of(ENDLESS, corpus, seeds=1)


class HeardError(Exception):
    """Something was heard of a run."""


def fail(i, event):
    raise HeardError


def test_a_listener_that_fails_ends_all_runs():
    with pytest.raises(HeardError):
        workers.run_all(endless_jobs(), 2, fail)
    assert multiprocessing.active_children() == []


def tell(i, event):
    """In the program below."""
    print("heard", flush=True)


@contextmanager
def held_until_now():
    """As if Ctrl-C had come while the processes were started."""
    yield
    print("heard", flush=True)
    raise KeyboardInterrupt


if __name__ == "__main__":
    if sys.argv[1] == "at the start":
        workers.interrupts_held = held_until_now
    try:
        workers.run_all(endless_jobs(), 2, tell)
    except KeyboardInterrupt:
        sys.exit(130)


@pytest.mark.skipif(os.name != "posix", reason="needs signals and process groups")
@pytest.mark.parametrize("ending", ["SIGINT", "SIGKILL", "at the start"])
def test_a_parent_that_is_stopped_or_killed_leaves_no_process_behind(ending):
    process = subprocess.Popen(
        [sys.executable, __file__, ending], start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout.readline() == "heard\n"
        if ending == "SIGINT":
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes at once
        elif ending == "SIGKILL":
            process.kill()
        _, said = process.communicate(timeout=BOUND)  # until the last process has closed its end
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert "Traceback" not in said
    assert process.returncode == (-signal.SIGKILL if ending == "SIGKILL" else 130)
