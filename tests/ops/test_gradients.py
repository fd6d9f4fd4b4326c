"""One generic test over the registry: every gradient of every operation."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tinytie import check_operation
from tinytie.ops.registry import OPERATIONS, Sizes

everyone = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda op: op.name)

# all sizes different, B >= 2, T >= 3: where a missing transpose or a lost step cannot hide
telling_sizes = st.builds(
    Sizes, B=st.just(2), T=st.just(3), V=st.sampled_from([7, 9]), D=st.sampled_from([4, 6]),
    H=st.sampled_from([5, 8]),
)  # fmt: skip


@everyone
@given(sizes=telling_sizes, seed=st.integers(0, 2**32 - 1))
def test_every_gradient_equals_the_finite_difference(operation, sizes, seed):
    report = check_operation(operation, sizes, seed)
    assume(report.verdict != "UNCHECKED")  # a relu may be dead, or bend, at the point that is drawn
    assert report.verdict == "PASS", str(report)
    assert np.isfinite([row.error for row in report.rows]).all()
