"""The measured quality of the diagnosis, at a small count; the whole table is in README.md."""

import os

from tests.gradcheck.confusion import RIGHT, bugs_by_cause, confusion, markdown, wrong_answers
from tinytie.gradcheck import CAUSES

COUNT = 200 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 1


def test_no_right_gradient_fails_no_bug_passes_and_no_wrong_cause_is_named():
    table = confusion(COUNT, seed=7)
    assert wrong_answers(table) == []
    assert set(table) == {RIGHT, *bugs_by_cause()}
    assert all(f"| {cause} |" in markdown(table, COUNT, 7) for cause in table)


def test_every_cause_on_the_list_is_planted():
    assert set(CAUSES) <= set(bugs_by_cause())
