"""PASS, FAIL or UNCHECKED, and why, on plain functions of plain arrays."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie import check_gradients

seeds = st.integers(0, 2**32 - 1)
weight_sizes = st.sampled_from([1.0, 0.01, 0.001])


def network(seed, size=1.0, f=np.tanh):
    """(loss, params, grads) of Σ r ∘ f(x Wᵀ + b), with W (4, 3) and b (4,)."""
    rng = np.random.default_rng(seed)
    x, r = rng.standard_normal((6, 3)), rng.standard_normal((6, 4))
    params = {"W": size * rng.standard_normal((4, 3)), "b": size * rng.standard_normal(4)}

    def loss(p):
        return float(np.sum(r * f(x @ p["W"].T + p["b"])))

    slope = 1 - np.tanh(x @ params["W"].T + params["b"]) ** 2 if f is np.tanh else None
    da = r * (slope if f is np.tanh else (x @ params["W"].T + params["b"] > 0))
    return loss, params, {"W": da.T @ x, "b": da.sum(axis=0)}


def reason(report):
    return report.rows[0].reason


@given(seed=seeds, size=weight_sizes)
def test_a_right_gradient_passes(seed, size):
    report = check_gradients(*network(seed, size))
    assert report.verdict == "PASS", str(report)
    assert all(row.error <= row.tolerance for row in report.rows)


@given(seed=seeds, size=weight_sizes, entry=st.integers(0, 11), by=st.sampled_from([1e-5, 0.5]))
def test_a_single_wrong_entry_fails_and_is_named(seed, size, entry, by):
    loss, params, grads = network(seed, size)
    index = np.unravel_index(entry, (4, 3))
    grads["W"][index] += by * np.abs(grads["W"]).max()
    row, other = check_gradients(loss, params, grads).rows
    assert (row.verdict, row.index, row.off, row.pattern) == ("FAIL", index, 1, "one entry")
    assert other.verdict == "PASS"


@given(seed=seeds)
def test_a_small_array_beside_a_large_one_is_held_to_its_own_size(seed):
    loss, params, grads = network(seed)
    params["V"] = params["W"].copy()
    grads = {"W": 1e-3 * grads["W"], "b": 1e3 * grads["b"] + 1e-3 * grads["b"]}
    grads["V"] = 1e6 * grads["W"]
    both = lambda p: 1e3 * loss({"W": p["V"], "b": p["b"]}) + 1e-3 * loss(p)
    assert check_gradients(both, params, grads).verdict == "PASS"
    grads["W"] = 1.01 * grads["W"]
    report = check_gradients(both, params, grads)
    assert [row.name for row in report.rows if row.verdict == "FAIL"] == ["W"]


@given(seed=seeds)
def test_a_forgotten_slope_fails_even_where_it_is_nearly_one(seed):
    loss, params, grads = network(seed, size=0.003)
    rng = np.random.default_rng(seed)
    x, r = rng.standard_normal((6, 3)), rng.standard_normal((6, 4))
    wrong = {"W": r.T @ x, "b": r.sum(axis=0)}
    assert check_gradients(loss, params, grads).verdict == "PASS"
    assert check_gradients(loss, params, wrong).verdict == "FAIL"


def test_a_gradient_where_the_loss_does_not_depend_on_the_parameter_must_be_zero():
    params = {"a": np.ones(3), "unused": np.ones(2)}
    loss = lambda p: float(np.sum(p["a"] ** 2))
    zero = check_gradients(loss, params, {"a": 2 * np.ones(3), "unused": np.zeros(2)})
    assert [row.verdict for row in zero.rows] == ["PASS", "UNCHECKED"]
    assert "does not depend" in zero.rows[1].reason
    small = check_gradients(loss, params, {"a": 2 * np.ones(3), "unused": np.full(2, 1e-9)})
    assert [row.verdict for row in small.rows] == ["PASS", "FAIL"]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_gradient_that_is_not_finite_fails(bad):
    loss, params, grads = network(0)
    grads["b"][2] = bad
    row = check_gradients(loss, params, grads).rows[1]
    assert (row.verdict, row.index) == ("FAIL", (2,))


def test_an_entry_on_a_kink_is_unchecked_whichever_slope_is_given():
    params = {"a": np.array([1.0, 0.0, -2.0])}
    loss = lambda p: float(np.sum(np.maximum(p["a"], 0)))
    for slope in (0.0, 0.5, 1.0):
        report = check_gradients(loss, params, {"a": np.array([1.0, slope, 0.0])})
        assert report.verdict == "UNCHECKED"
        assert "kink" in reason(report) and reason(report).endswith("at [1]")


def test_a_kink_does_not_hide_a_wrong_gradient_beside_it_nor_at_it_where_the_point_can_move():
    params = {"a": np.array([1.0, 0.0])}
    loss = lambda p: float(np.sum(np.maximum(p["a"], 0)))
    assert check_gradients(loss, params, {"a": np.array([2.0, 0.0])}).verdict == "FAIL"
    right = lambda p: {"a": 1.0 * (p["a"] > 0)}
    wrong = lambda p: {"a": np.where(p["a"] > 0.5, 1.0, 1.2)}
    assert check_gradients(loss, params, right), str(check_gradients(loss, params, right))
    assert check_gradients(loss, params, wrong).verdict == "FAIL"
    assert params["a"].tolist() == [1.0, 0.0]


@given(seed=seeds, distance=st.sampled_from([3e-5, 9e-6, 4e-6]))
def test_a_kink_beside_the_point_is_stepped_around(seed, distance):
    loss, params, grads = network(seed, f=lambda a: np.maximum(a, 0))
    assert check_gradients(loss, params, grads).verdict != "FAIL"
    params = {"a": np.array([distance, 1.0])}
    loss = lambda p: float(np.sum(np.maximum(p["a"], 0)))
    assert check_gradients(loss, params, {"a": np.ones(2)}).verdict == "PASS"
    assert check_gradients(loss, params, {"a": np.array([0.5, 1.0])}).verdict == "FAIL"


def test_float32_is_unchecked():
    loss, params, grads = network(0)
    small = [{name: a.astype(np.float32) for name, a in d.items()} for d in (params, grads)]
    assert "float32" in reason(check_gradients(loss, *small))
    report = check_gradients(lambda p: np.float32(loss(p)), params, grads)
    assert report.verdict == "UNCHECKED" and "float32" in reason(report)


def test_a_loss_computed_in_float32_inside_never_passes():
    loss, params, grads = network(0)
    report = check_gradients(lambda p: float(np.float32(loss(p))), params, grads)
    assert report.verdict == "UNCHECKED"


def test_two_names_of_one_array_are_unchecked_and_say_so():
    E = np.ones((3, 2))
    loss = lambda p: float(np.sum(p["E_in"] * p["E_out"]))
    report = check_gradients(loss, {"E_in": E, "E_out": E}, {"E_in": 2 * E, "E_out": 2 * E})
    assert report.verdict == "UNCHECKED" and "'E_out'" in reason(report)
    views = {"E_in": E[:2], "E_out": E[1:]}
    assert check_gradients(loss, views, {name: 0 * a for name, a in views.items()}).verdict == (
        "UNCHECKED"
    )
    apart = {"E_in": E[:1], "E_out": E[1:2]}
    assert check_gradients(loss, apart, {name: a.copy() for name, a in apart.items()}).verdict == (
        "PASS"
    )


def test_an_array_that_repeats_its_own_memory_is_unchecked():
    wide = np.lib.stride_tricks.as_strided(np.ones(1), (3,), (0,))
    report = check_gradients(lambda p: float(np.sum(p["a"])), {"a": wide}, {"a": np.ones(3)})
    assert report.verdict == "UNCHECKED" and "memory" in reason(report)


@pytest.mark.parametrize("size", [1.0, 0.01])
def test_numbers_are_checked_as_arrays_are(size):
    params = {"u": np.array(0.7 * size), "v": np.array(1.3 * size)}
    loss = lambda p: p["u"] * p["v"] + np.sin(p["u"])
    right = {"u": params["v"] + np.cos(params["u"]), "v": params["u"]}
    assert check_gradients(loss, params, right).verdict == "PASS"
    report = check_gradients(loss, params, right | {"u": params["v"] - np.cos(params["u"])})
    assert (report.verdict, report.cause) == ("FAIL", None)
    assert "u: 1 of 1 entries are off: all of them" in str(report)


def test_names_need_not_be_words():
    a = np.array([1.0, 2.0, 3.0])
    loss = lambda p: float(np.sum(p[0] ** 2) + np.sum(p["a"] ** 2))
    params = {0: a, "a": a.copy()}
    assert check_gradients(loss, params, {0: 2 * a, "a": 2 * a}).verdict == "PASS"
    report = check_gradients(loss, params, {0: 4 * a, "a": 2 * a})
    assert "2 in 0" in report.explanation
    with pytest.raises(ValueError, match=r"missing \[0\]"):
        check_gradients(loss, params, {"a": 2 * a})


def test_a_loss_in_steps_is_unchecked_and_neither_a_kink_nor_float32_is_blamed():
    a = np.array([0.6, -0.4, 0.3])
    rounded = lambda p: round(float(np.sum(p["a"] ** 2)), 6)
    assert "too rough" in reason(check_gradients(rounded, {"a": 0.01 * a}, {"a": 0.02 * a}))
    mistakes = lambda p: float(np.sum(p["a"] > 0))
    report = check_gradients(mistakes, {"a": np.array([0.0, 1.0])}, {"a": np.zeros(2)})
    assert report.verdict == "UNCHECKED" and "jump" in reason(report)


def test_a_loss_that_adds_or_removes_parameters_is_unchecked_and_undone():
    a = np.ones(2)
    for change in (lambda p: p.update(b=a), lambda p: p.pop("a")):
        params = {"a": a}

        def loss(p, change=change):
            value = float(np.sum(p["a"]))
            change(p)
            return value

        report = check_gradients(loss, params, {"a": a})
        assert report.verdict == "UNCHECKED" and "adds or removes" in reason(report)
        assert list(params) == ["a"] and params["a"] is a


def test_a_read_only_array_is_unchecked():
    a = np.ones(3)
    a.flags.writeable = False
    report = check_gradients(lambda p: float(np.sum(p["a"])), {"a": a}, {"a": np.ones(3)})
    assert report.verdict == "UNCHECKED" and "read-only" in reason(report)


def test_a_loss_that_does_not_repeat_is_unchecked():
    rng = np.random.default_rng(0)
    loss, params, grads = network(0)
    noisy = lambda p: loss(p) + 1e-3 * rng.random()
    report = check_gradients(noisy, params, grads)
    assert report.verdict == "UNCHECKED" and "repeat" in reason(report)
    calls = [0]

    def late(p):
        calls[0] += 1
        return loss(p) + (calls[0] > 10)

    assert "repeat" in reason(check_gradients(late, params, grads))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_loss_that_is_not_finite_is_unchecked(bad):
    report = check_gradients(lambda p: bad, {"a": np.ones(2)}, {"a": np.ones(2)})
    assert report.verdict == "UNCHECKED" and "the loss is" in reason(report)


def test_a_loss_is_measured_as_near_as_it_is_finite_and_unchecked_where_it_never_is():
    loss = lambda p: float(np.sqrt(p["a"][0]) + p["a"][1])
    right = {"a": np.array([500.0, 1.0])}
    assert check_gradients(loss, {"a": np.array([1e-6, 1.0])}, right).verdict == "PASS"
    report = check_gradients(loss, {"a": np.array([0.0, 1.0])}, right)
    assert report.verdict == "UNCHECKED" and "not finite" in reason(report)


def test_a_loss_defined_only_near_the_point_is_checked():
    loss = lambda p: sum(math.log(v) for v in p["a"])
    a = np.array([1e-3, 0.5, 2.0])
    assert check_gradients(loss, {"a": a}, {"a": 1 / a}).verdict == "PASS"
    assert check_gradients(loss, {"a": a}, {"a": 1.0001 / a}).verdict == "FAIL"


def test_a_loss_that_changes_its_parameters_is_unchecked_and_undone():
    a = np.array([3.0, 4.0])

    def normalizes(p):
        p["a"] /= np.linalg.norm(p["a"])
        return float(p["a"][0])

    report = check_gradients(normalizes, {"a": a}, {"a": np.ones(2)})
    assert report.verdict == "UNCHECKED"
    assert a.tolist() == [3.0, 4.0]


def test_large_numbers_inside_the_loss_do_not_fail_a_right_gradient():
    s, y, offset = np.array([-0.3, -2e4, 0.0, -1e4, -0.5]), 2, 1e4

    def loss(p):
        shifted = p["s"] * 1.0 + offset
        top = shifted.max()
        return float(top + np.log(np.sum(np.exp(shifted - top))) - shifted[y])

    exp = np.exp(s)
    right = exp / exp.sum() - (np.arange(5) == y)
    assert check_gradients(loss, {"s": s}, {"s": right}).verdict != "FAIL"
    assert check_gradients(loss, {"s": s}, {"s": 1.1 * right}).verdict == "FAIL"


def test_a_tiny_loss_is_compared_at_its_own_size():
    loss = lambda p: 1e-9 * float(np.sum(p["a"] ** 2))
    a = np.array([1.0, 2.0])
    assert check_gradients(loss, {"a": a}, {"a": 2e-9 * a}).verdict == "PASS"
    assert check_gradients(loss, {"a": a}, {"a": 2.1e-9 * a}).verdict == "FAIL"
