"""What is said about a wrong gradient of any function, from its numbers alone."""

import numpy as np
import pytest

from tests.gradcheck.test_verdicts import network
from tinytie import check_gradients
from tinytie.gradcheck.diagnosis.numbers import Probe
from tinytie.gradcheck.ladder import Slope


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


def test_a_transpose_must_fit_along_every_direction():
    v, A, more = np.random.default_rng(0).standard_normal((3, 4, 4))
    more -= np.vdot(more, v) / np.vdot(v, v) * v  # nothing of it along the first direction
    loss = lambda p: float(np.sum(A * p["M"]))
    report = check_gradients(loss, {"M": np.ones((4, 4))}, {"M": A.T + 1e-4 * more})
    assert (report.verdict, report.cause) == ("FAIL", None)


def test_a_slope_beside_a_kink_or_a_vague_one_explains_nothing():
    sharp = Probe("M", np.ones(1), given=1.0, right=0.0, error=0.0, wrong=1.0)
    assert sharp.explained_by(Slope(1.0, 1e-12))
    assert not sharp.explained_by(Slope(1.0, 1e-12, kink=0.1))
    assert not sharp.explained_by(Slope(0.99, 0.02))
    assert not sharp._replace(error=0.02).explained_by(Slope(1.0, 0.0))


@pytest.mark.parametrize(("by", "cause"), [(5e-10, "wrong sign"), (5e-9, "constant factor")])
def test_a_factor_is_taken_for_the_whole_number_that_it_is_to_nine_digits(by, cause):
    assert say(lambda g: {"W": -(1 + by) * g["W"]}).cause == cause


def test_a_factor_is_said_with_the_numbers_that_were_given():
    report = say(lambda g: {"W": 6 * g["W"]}, numbers={"N": 6, "T": 3})
    assert "6 = N in W" in report.explanation


def test_one_or_two_entries_are_too_few_to_call_a_factor_unless_others_have_it_too():
    loss = lambda p: float(np.sum(p["a"] ** 2) + np.sum(p["b"] ** 3))
    params = {"a": np.array([1.0, 0.3]), "b": np.array([1.0, 2.0, -3.0])}
    right = {"a": 2 * params["a"], "b": 3 * params["b"] ** 2}
    few = check_gradients(loss, params, right | {"a": 3 * right["a"]})
    assert few.cause is None and "too few entries" in few.explanation
    both = check_gradients(loss, params, {name: 3 * a for name, a in right.items()})
    assert both.cause == "constant factor" and "3 in a, b" in both.explanation
    mixed = check_gradients(loss, params, {"a": 5 * right["a"], "b": 3 * right["b"]})
    assert mixed.cause is None


def test_a_factor_is_named_where_central_differences_are_coarse():
    rng = np.random.default_rng(0)
    Z, R = 0.01 * rng.standard_normal((3, 5)), rng.standard_normal((3, 5))

    def normalized(Z):
        Z = Z - Z.mean(axis=1, keepdims=True)
        size = np.sqrt((Z * Z).mean(axis=1, keepdims=True) + 1e-5)
        return Z / size, size

    z, size = normalized(Z)
    dZ = (R - R.mean(1, keepdims=True) - z * (R * z).mean(1, keepdims=True)) / size
    loss = lambda p: float(np.sum(R * normalized(p["Z"])[0]))
    assert check_gradients(loss, {"Z": Z}, {"Z": dZ}).verdict == "PASS"
    assert check_gradients(loss, {"Z": Z}, {"Z": 0.9 * dZ}).cause == "constant factor"


@pytest.mark.parametrize("share", [1e-3, 1e-5, 1e-7])
def test_a_small_part_that_does_not_fit_is_not_passed_over(share):
    rng = np.random.default_rng(1)
    a, A, B = rng.standard_normal((3, 4, 4))
    loss = lambda p: float(np.sum(A * p["a"]) + share * np.sum(B * p["a"]))
    wrong = {"sign": share * B - A, "factor": 0.7 * share * B + 0.3 * A,
             "transpose": A.T + share * B, "a trace": share**2 * B}  # fmt: skip
    for mistake, given in wrong.items():
        report = check_gradients(loss, {"a": a}, {"a": given})
        assert (report.verdict, report.cause) == ("FAIL", None), (mistake, str(report))


def test_causes_are_told_along_random_directions_too():
    rng = np.random.default_rng(0)
    a, A = rng.standard_normal((2, 20, 10))
    loss = lambda p: float(np.sum(np.sin(A * p["a"])))
    right = A * np.cos(A * a)
    blocks = np.concatenate([right[:10].T, right[10:].T])
    causes = {"constant factor": 3 * right, "wrong sign": -right, "all zero": 0 * right,
              "transposed": blocks, None: np.abs(right)}  # fmt: skip
    for cause, given in causes.items():
        report = check_gradients(loss, {"a": a}, {"a": given}, method="directions", rng=0)
        assert (report.verdict, report.cause) == ("FAIL", cause)


def test_no_cause_is_named_where_a_kink_stands_in_the_way():
    loss = lambda p: float(np.sum(np.abs(p["a"])))
    a = np.array([0.0, 1.0, -2.0, 3.0])
    report = check_gradients(loss, {"a": a}, {"a": 2 * np.sign(a)})
    assert (report.verdict, report.cause) == ("FAIL", None)
    assert "kink" in report.explanation


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
