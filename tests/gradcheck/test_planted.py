"""Every planted bug is rejected by the check a student runs, with its parameters and its cause."""

import sys

import numpy as np
import pytest

from tests.gradcheck.cases import telling_case
from tests.planted import MODEL_BUGS, STATE_BUGS, Planted, planted
from tinytie import check_model, check_operation
from tinytie.gradcheck import CAUSES
from tinytie.ops import softmax
from tinytie.ops.registry import OPERATIONS, Sizes

every_bug = pytest.mark.parametrize("bug", MODEL_BUGS, ids=lambda bug: bug.name)


def failed(report):
    return {row.name for row in report.rows if row.verdict == "FAIL"}


@every_bug
def test_a_planted_bug_is_rejected_with_its_parameters_and_its_cause(bug):
    case = telling_case(seed=1, **bug.options)
    with planted(bug):
        report = check_model(*case)
    assert failed(report) == set(bug.fails.split()), str(report)
    assert report.cause == bug.cause, str(report)


@pytest.mark.parametrize("options", [{}, *{str(b.options): b.options for b in MODEL_BUGS}.values()])
def test_without_a_bug_the_same_models_pass(options):
    report = check_model(*telling_case(seed=1, **options))
    assert report.verdict == "PASS", str(report)


@pytest.mark.parametrize("name", STATE_BUGS)
def test_a_lost_gradient_of_the_first_state_is_rejected_by_the_check_of_the_operation(name):
    operation = next(op for op in OPERATIONS if op.name == name)
    sizes = Sizes(B=2, T=4, V=9, D=4, H=5)
    assert check_operation(operation, sizes, 0).verdict == "PASS"
    with planted(STATE_BUGS[name]):
        module = sys.modules[operation.backward.__module__]
        wrong = operation._replace(backward=getattr(module, operation.backward.__name__))
        report = check_operation(wrong, sizes, 0)
    assert failed(report) == {STATE_BUGS[name].fails}, str(report)


def test_every_cause_that_a_planted_bug_is_said_to_have_is_on_the_list():
    assert {bug.cause for bug in MODEL_BUGS} - {None} <= CAUSES.keys()


def test_a_softmax_without_its_shift_is_not_finite_at_large_scores():
    shift = "s -= s.max(axis=1, keepdims=True)"
    bug = Planted("no max-shift", softmax.exponentials, shift, "pass", "")
    s, y = np.array([[1e4, -1e4, 0.0]]), np.array([1])
    assert softmax.cross_entropy_forward(s, y)[0] == 2e4
    with planted(bug), np.errstate(over="ignore", invalid="ignore"):
        assert not np.isfinite(softmax.cross_entropy_forward(s, y)[0])
