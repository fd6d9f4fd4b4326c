"""Independent runs side by side: one process each, one thread of linear algebra in each process.

Small matrices gain nothing from several threads, and two processes of two threads each on two
cores spend most of their time waiting for each other.
"""

import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import Any

from tinytie.experiments.experiment import train_one
from tinytie.training.trainer import Epoch

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
PAUSE = 0.2  # seconds between two reports of steps

INHERITED: dict[str, Any] = {}  # in a worker: the queue for events, and the signal to stop


class StoppedError(Exception):
    """In a worker: nobody wants the rest of this run."""


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_all(
    jobs: Sequence[Any], processes: int, report: Callable[[int, Any], None],
    train: Callable[[Any, Callable], Any] = train_one,
) -> list[Any]:  # fmt: skip
    """Every job's run, in the order of the jobs; `report(i, event)` hears how job i goes on, and
    of its run when it has ended.

    train(job, report) makes a run, such as `train_one` a Run of a Job; it has to be a function of
    a module. The runs do not depend on the number of processes. Ctrl-C here, or an error in one
    run, stops all others within a step, by a StoppedError out of their report, and is then raised.
    Raises OSError where a process dies.
    """
    context = multiprocessing.get_context("spawn")  # a fresh process, the same on every system
    events, stop = context.Queue(), context.Event()
    with (
        single_threaded(),
        ProcessPoolExecutor(
            min(processes, len(jobs)), context, initializer=begin, initargs=(events, stop)
        ) as pool,
    ):
        with interrupts_held():
            running = {pool.submit(work, i, job, train): i for i, job in enumerate(jobs)}
        runs = {}
        try:
            while running:
                deliver(events, report)
                for future in [future for future in running if future.done()]:
                    i = running.pop(future)
                    runs[i] = result_of(future)
                    report(i, runs[i])
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [runs[i] for i in range(len(jobs))]


def deliver(events, report):
    """One event to its listener, if there is one within a moment."""
    with suppress(queue.Empty):
        report(*events.get(timeout=PAUSE))


def result_of(future):
    """The Run, or the error that ended it."""
    try:
        return future.result()
    except BrokenProcessPool:
        raise OSError("a training process died; was there enough memory?") from None


@contextmanager
def single_threaded():
    """Processes that are started in here use one thread for their matrix products."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def interrupts_held():
    """A Ctrl-C in here is raised at the end, and processes that are started in here hear of none,
    not even while they are still loading: it goes to all processes of a terminal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def begin(events, stop):
    """In a new worker: leave Ctrl-C to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    events.cancel_join_thread()  # events that nobody reads must not keep the process alive
    INHERITED.update(events=events, stop=stop)
    threading.Thread(target=leave_with_parent, daemon=True).start()


def leave_with_parent():
    """A parent that was killed tells nobody; its workers would wait for it for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def work(i, job, train):
    """In a worker: one run, with a report of every epoch, and of a step now and then."""
    last = time.monotonic()

    def report(event):
        nonlocal last
        if INHERITED["stop"].is_set():
            raise StoppedError
        if isinstance(event, Epoch) or time.monotonic() - last > PAUSE:
            INHERITED["events"].put((i, event))
            last = time.monotonic()

    return train(job, report)
