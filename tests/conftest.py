"""Hypothesis profiles: quick for people, ci without surprises, long for a nightly look. And the
lessons, which run beside the other tests from the first one on: a third of the suite's time."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, settings

from tests import quick
from tests.lessons.headless import chosen_lessons, run_headless

# A shell's background job, as a CI may be, ignores Ctrl-C, and so would every program it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

SLOW = [HealthCheck.too_slow]

settings.register_profile("quick", max_examples=20, deadline=None, suppress_health_check=SLOW)
settings.register_profile("ci", settings.get_profile("quick"), derandomize=True)
settings.register_profile("few", settings.get_profile("ci"), max_examples=quick.EXAMPLES)
settings.register_profile("long", settings.get_profile("quick"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_configure(config):
    """`pytest -m quick` draws fewer examples."""
    if config.option.markexpr == "quick":
        settings.load_profile("few")


def pytest_collection_modifyitems(items):
    """The marker of `-m quick`, for the tests that `quick.py` names."""
    for item in items:
        if quick.is_quick(item.nodeid):
            item.add_marker("quick")


@pytest.fixture(scope="session", autouse=True)
def lesson_runs(request, tmp_path_factory):
    """Number of a lesson -> its run, under way or done; a test waits for its result."""
    lessons = chosen_lessons(request.session.items)
    folders = {number: map(tmp_path_factory.mktemp, ("home", "away")) for number in lessons}
    pool = ThreadPoolExecutor(os.cpu_count())
    yield {n: pool.submit(run_headless, lesson, *folders[n]) for n, lesson in lessons.items()}
    pool.shutdown(cancel_futures=True)
