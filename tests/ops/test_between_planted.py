"""Wrong heads between tied and untied, one mistake each: the check names the arguments."""

import pytest

from tests.planted import OPERATION_BUGS
from tinytie import check_operation
from tinytie.ops.registry import Sizes, operations

SIZES = Sizes(B=2, T=3, V=7, D=4, H=5)
OPERATIONS = {operation.name: operation for operation in operations()}


@pytest.mark.parametrize(("name", "spoil", "fails"), [bug[1:] for bug in OPERATION_BUGS],
                         ids=[bug[0] for bug in OPERATION_BUGS])  # fmt: skip
def test_a_wrong_backward_is_named(name, spoil, fails):
    right = OPERATIONS[name]
    report = check_operation(right._replace(backward=spoil(right.backward)), SIZES, 0)
    assert {row.name for row in report.rows if row.verdict == "FAIL"} == {*fails.split()}
