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
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from typing import Any

from tinytie.experiments.engine import Job, Run, Stopped, train
from tinytie.training.trainer import Epoch

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
PAUSE = 0.2  # seconds between two steps that are sent

INHERITED: dict[str, Any] = {}  # in a worker: the queue for events, and the signal to stop


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_all(jobs: Sequence[Job], processes: int, listen: Callable[[int, Any], None]) -> list[Run]:
    """Every job's run, in the order of the jobs; `listen(i, event)` hears how job i goes on, and
    of its Run when it has ended.

    The runs do not depend on the number of processes. Ctrl-C here, or an error in one run, stops
    all others within a step, by a Stopped out of their listener, and is then raised. Raises
    OSError where a process dies.
    """
    context = multiprocessing.get_context("spawn")  # a fresh process, the same on every system
    try:
        from concurrent.futures import ProcessPoolExecutor

        events, stop = context.Queue(), context.Event()
    except ImportError:  # a browser has one process
        return [run_here(i, job, listen) for i, job in enumerate(jobs)]
    pool = ProcessPoolExecutor(
        min(processes, len(jobs)), context, initializer=begin, initargs=(events, stop)
    )
    runs = {}
    try:  # from here on, as a Ctrl-C that was held is raised when the start is over
        with single_threaded(), interrupts_held():
            running = {pool.submit(work, i, job): i for i, job in enumerate(jobs)}
        while running:
            deliver(events, listen)
            for future in [future for future in running if future.done()]:
                i = running.pop(future)
                runs[i] = result_of(future)
                listen(i, runs[i])
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
    return [runs[i] for i in range(len(jobs))]


def run_here(i, job, listen):
    """One run in this process, where there can be no other."""
    run = train(job, lambda event: listen(i, event))
    listen(i, run)
    return run


def deliver(events, listen):
    """One event to its listener, if there is one within a moment."""
    with suppress(queue.Empty):
        listen(*events.get(timeout=PAUSE))


def result_of(future):
    """The Run, or the error that ended it."""
    try:
        return future.result()
    except BrokenExecutor:
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
    """Exit with the parent: one that is killed sends no message, and we would wait forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def work(i, job):
    """In a worker: one run, which sends every epoch to the parent, and a step now and then."""
    sent = time.monotonic()

    def send(event):
        nonlocal sent
        if INHERITED["stop"].is_set():
            raise Stopped
        if isinstance(event, Epoch) or time.monotonic() - sent > PAUSE:
            INHERITED["events"].put((i, event))
            sent = time.monotonic()

    return train(job, send)
