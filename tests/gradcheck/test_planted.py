"""Every planted bug is rejected by the check a student runs, with its parameters and its cause."""

import pytest

from tests.gradcheck.cases import telling_case
from tests.planted import MODEL_BUGS, RIGHT_LOOP, first_state_lost, planted
from tinytie import check_model, check_operation
from tinytie.gradcheck import CAUSES
from tinytie.ops.cells import CELLS
from tinytie.ops.registry import Sizes, operations

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


@pytest.mark.parametrize("options", [{}, {"cell": "lstm"}, {"cell": "gru"}], ids=str)
def test_the_loop_written_again_is_right_where_no_line_of_it_is_changed(options):
    with planted(RIGHT_LOOP):
        report = check_model(*telling_case(seed=1, **options))
    assert report.verdict == "PASS", str(report)


@pytest.mark.parametrize("name", CELLS)
def test_a_lost_gradient_of_the_first_state_is_rejected_by_the_check_of_the_operation(name):
    operation = next(op for op in operations() if op.name == name)
    wrong = operation._replace(backward=first_state_lost(operation.backward))
    report = check_operation(wrong, Sizes(B=2, T=4, V=9, D=4, H=5), 0)
    assert failed(report) == {f"state.{part}" for part in CELLS[name].state._fields}, str(report)


def test_every_cause_that_a_planted_bug_is_said_to_have_is_on_the_list():
    assert {bug.cause for bug in MODEL_BUGS} - {None} <= CAUSES.keys()
