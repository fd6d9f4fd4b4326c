"""What is said about a wrong gradient of any function, from its numbers alone."""

import numpy as np
import pytest

from tests.gradcheck.test_verdicts import network
from tinytie import check_gradients


def say(change, seed=0, size=1.0, **options):
    """The report where W's gradient, or all of them, are changed."""
    loss, params, grads = network(seed, size)
    return check_gradients(loss, params, grads | change(grads), **options)


@pytest.mark.parametrize("size", [1.0, 0.01])
@pytest.mark.parametrize(
    ("cause", "change"),
    [
        ("wrong sign", lambda g: {"W": -g["W"]}),
        ("wrong sign", lambda g: {name: -a for name, a in g.items()}),
        ("constant factor", lambda g: {"W": 6 * g["W"]}),
        ("constant factor", lambda g: {"W": 0.123 * g["W"], "b": 2 * g["b"]}),
        ("all zero", lambda g: {"b": 0 * g["b"]}),
        (None, lambda g: {"W": g["W"] + 0.1, "b": g["b"]}),
        (None, lambda g: {"W": -g["W"], "b": 2 * g["b"] + 1}),
        (None, lambda g: {"W": g["W"][::-1]}),
        (None, lambda g: {"W": np.abs(g["W"])}),
    ],
)
def test_the_cause_is_named_only_where_it_explains_everything(size, cause, change):
    report = say(change, size=size)
    assert (report.verdict, report.cause) == ("FAIL", cause), str(report)


def test_a_square_transpose_is_named_and_so_is_one_block_by_block():
    A = np.random.default_rng(0).standard_normal((6, 3))
    loss = lambda p: float(np.sum(A * p["M"]))
    blocks = np.concatenate([A[:3].T, A[3:].T])
    report = check_gradients(loss, {"M": np.ones((6, 3))}, {"M": blocks})
    assert report.cause == "transposed"


def test_a_factor_is_said_with_the_numbers_that_were_given():
    report = say(lambda g: {"W": 6 * g["W"]}, numbers={"N": 6, "T": 3})
    assert "6 = N in W" in report.explanation


def test_one_or_two_entries_are_too_few_to_call_a_factor():
    loss = lambda p: float(p["a"][0] ** 2)
    report = check_gradients(loss, {"a": np.array([1.0])}, {"a": np.array([6.0])})
    assert report.cause is None


@pytest.mark.parametrize(
    ("wrong", "pattern"),
    [
        (np.s_[1], "rows 1"),
        (np.s_[:, 2], "columns 2"),
        (np.s_[1:3, 0], "rows 1, 2 in columns 0"),
        (np.s_[:], "all of them"),
        (np.s_[3, 1], "one entry"),
    ],
)
def test_the_pattern_of_wrong_entries_is_said(wrong, pattern):
    def change(grads):
        W = grads["W"].copy()
        W[wrong] += 1
        return {"W": W}

    row = say(change).rows[0]
    assert row.pattern == pattern
    assert pattern in str(say(change))
