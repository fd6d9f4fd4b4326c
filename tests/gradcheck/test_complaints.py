"""What people complain about in checkers of gradients, tried one by one."""

import math

import numpy as np
import pytest

from tests.gradcheck.zoo import FAMILIES, cases
from tinytie import assert_gradients, check_gradients, check_vjp
from tinytie.gradcheck import FAIL, PASS, UNCHECKED

relu = lambda a: np.maximum(a, 0)


def sum_of_squares(p):
    return float(np.sum(p["a"] ** 2))


# A, B, L: several kinks at one point


def relu_at_zero(seed, method="central", convention=0.0):
    """Two layers of relu over a zero vector: the right one-sided answer lies anywhere."""
    rng = np.random.default_rng(seed)
    W, V, r = rng.standard_normal((5, 3)), rng.standard_normal((4, 5)), rng.standard_normal(4)
    slope = lambda a: np.where(a > 0, 1.0, np.where(a < 0, 0.0, convention))
    loss = lambda p: float(r @ relu(V @ relu(W @ p["h"])))

    def grads(p):
        a = W @ p["h"]
        s = V @ relu(a)
        return {"h": W.T @ (slope(a) * (V.T @ (slope(s) * r)))}

    return loss, {"h": np.zeros(3)}, grads


@pytest.mark.parametrize("method", ["central", "directions"])
@pytest.mark.parametrize("convention", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_a_right_gradient_on_several_kinks_does_not_fail_and_passes_beside_them(
    seed, convention, method
):
    loss, params, grads = relu_at_zero(seed, convention=convention)
    report = check_gradients(loss, params, grads(params), method=method, rng=0)
    assert report.verdict == UNCHECKED and "kink" in str(report), str(report)
    right = check_gradients(loss, params, grads, method=method, rng=0)
    assert right or seed == 5, str(right)  # 5: all units may be off
    wrong = lambda p: {"h": 1.001 * grads(p)["h"] + 1e-3}
    assert check_gradients(loss, params, wrong, method=method, rng=0).verdict == FAIL
    assert not params["h"].any()


@pytest.mark.parametrize("near", [5e-6, 1e-6, 2e-7, 3e-3])
def test_a_kink_at_the_point_with_another_beside_it_does_not_fail(near):
    loss = lambda p: float(np.sum(relu(p["a"]) + 0.7 * relu(p["a"] - near)))
    for slope in (0.0, 0.5, 1.0):
        given = {"a": np.array([slope])}
        assert check_gradients(loss, {"a": np.zeros(1)}, given).verdict == UNCHECKED


@pytest.mark.parametrize("f", ["leaky", "clip", "max", "hinge"])
def test_other_kinks_at_the_point_do_not_fail(f):
    rng = np.random.default_rng(0)
    r = rng.standard_normal((4, 3))
    of = {
        "leaky": lambda a: relu(a) - 0.1 * relu(-a), "clip": lambda a: np.clip(a, 0, 1),
        "max": lambda a: a.max(axis=1, keepdims=True), "hinge": lambda a: relu(1 - a - 1),
    }[f]  # fmt: skip
    loss = lambda p: float(np.sum(r * of(p["a"])))
    for given in (0.0, 1.0, 0.5):
        grads = {"a": given * r}
        assert check_gradients(loss, {"a": np.zeros((4, 3))}, grads).verdict == UNCHECKED


# C, J, M: losses that are good to few digits


def rounded(digits):
    return lambda v: round(v, digits)


def on_a_grid(v):
    return round(v * 2**18) / 2**18


COARSE = {
    "rounded to 6": rounded(6), "rounded to 9": rounded(9), "a binary grid": on_a_grid,
    "float32": lambda v: float(np.float32(v)), "noise": lambda v: v + 1e-9 * math.sin(1e9 * v),
    "more noise": lambda v: v + 1e-6 * math.sin(1e9 * v),
    "offset": lambda v: (v + 1e9) - 0.0, "large terms inside": lambda v: (v + 1e9) - 1e9,
}  # fmt: skip


@pytest.mark.parametrize("method", ["central", "directions"])
@pytest.mark.parametrize("coarse", COARSE)
@pytest.mark.parametrize("seed", range(5))
def test_a_coarse_loss_fails_no_right_gradient_and_passes_no_wrong_one(coarse, seed, method):
    rng = np.random.default_rng(seed)
    x, r = rng.standard_normal((6, 3)), rng.standard_normal((6, 4))
    W = rng.standard_normal((4, 3))
    loss = lambda p: COARSE[coarse](float(np.sum(r * np.tanh(x @ p["W"].T))))
    right = ((1 - np.tanh(x @ W.T) ** 2) * r).T @ x
    say = lambda g: check_gradients(loss, {"W": W}, {"W": g}, method=method, rng=0)
    assert say(right).verdict != FAIL, str(say(right))
    for wrong in (-right, 2 * right, 0 * right, right[::-1]):
        assert say(wrong).verdict == FAIL, str(say(wrong))
    assert say(1.0001 * right).verdict != PASS


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("seed", range(5))
def test_a_solver_that_stops_at_its_tolerance_fails_no_right_gradient(seed, tolerance):
    rng = np.random.default_rng(seed)
    a, r = np.tanh(rng.standard_normal(4)), rng.standard_normal(4)

    def solved(a):
        x = np.full(4, 0.5)
        while True:
            new = np.cos(a * x)
            if np.abs(new - x).max() < tolerance:
                return new
            x = new

    exact = a.copy()
    x = solved(exact)
    for _ in range(200):
        x = np.cos(a * x)
    right = -r * x * np.sin(a * x) / (1 + a * np.sin(a * x))
    loss = lambda p: float(r @ solved(p["a"]))
    say = lambda g: check_gradients(loss, {"a": a}, {"a": g}).verdict
    assert say(right) != FAIL, str(check_gradients(loss, {"a": a}, {"a": right}))
    assert say(-right) == say(2 * right) == FAIL


def test_linear_algebra_with_more_rounding_than_four_eps_is_neither_a_kink_nor_wrong():
    for seed in range(10):
        loss, params, grads = FAMILIES["gaussian_process"](np.random.default_rng(seed), 1e-5)
        report = check_gradients(loss, params, grads(params))
        assert report.verdict != FAIL and "kink" not in str(report), str(report)


# D: a report in an assert


def test_a_report_is_true_only_where_every_row_passes():
    a = np.array([1.0, 2.0, 3.0])
    right = check_gradients(sum_of_squares, {"a": a}, {"a": 2 * a})
    wrong = check_gradients(sum_of_squares, {"a": a}, {"a": -2 * a})
    vague = check_gradients(lambda p: 1.0, {"a": a}, {"a": 0 * a})
    assert [bool(r) for r in (right, wrong, vague)] == [True, False, False]
    assert [r.ok for r in (right, wrong, vague)] == [True, False, False]
    assert repr(wrong) == str(wrong) and "wrong sign" in repr(wrong)


def test_assert_gradients_raises_with_the_report():
    a = np.array([1.0, 2.0, 3.0])
    assert_gradients(sum_of_squares, {"a": a}, {"a": 2 * a})
    with pytest.raises(AssertionError, match="wrong sign"):
        assert_gradients(sum_of_squares, {"a": a}, {"a": -2 * a})
    with pytest.raises(AssertionError, match="UNCHECKED"):
        assert_gradients(lambda p: 1.0, {"a": a}, {"a": 0 * a})


# F: scale


@pytest.mark.parametrize("small", [1e-8, 1e-9, 1e-10])
def test_a_small_entry_is_seen_beside_a_large_one(small):
    r = np.array([1.0, small])
    loss = lambda p: float(r @ np.sin(p["a"]))
    a = np.array([0.3, 0.4])
    right = r * np.cos(a)
    assert check_gradients(loss, {"a": a}, {"a": right}).verdict == PASS
    for factor in (-1.0, 2.0, 0.0):
        wrong = right * [1, factor]
        assert check_gradients(loss, {"a": a}, {"a": wrong}).verdict == FAIL


@pytest.mark.parametrize("seed", range(40))
def test_a_large_offset_lets_no_small_error_pass(seed):
    rng = np.random.default_rng(seed)
    a, r = rng.standard_normal((2, 6))
    loss = lambda p: float(r @ np.sin(p["a"])) + 1e9
    wrong = r * np.cos(a) * (1 + 1e-4)
    assert check_gradients(loss, {"a": a}, {"a": wrong}).verdict != PASS
    assert check_gradients(loss, {"a": a}, {"a": r * np.cos(a)}).verdict != FAIL


# G, H: steps, sizes of parameters, words


def test_the_step_reaches_the_extrapolation():
    a = np.array([1e-6, 2e-6])
    loss = lambda p: float(np.sum(np.log(p["a"]) + 1e-6 / p["a"]))
    right = 1 / a - 1e-6 / a**2
    for step in (1e-5, 1e-9):
        for scale, verdict in ((1.0, PASS), (1.001, FAIL)):
            given = {"a": scale * right + [0, 0 if scale == 1 else 1]}
            assert check_gradients(loss, {"a": a}, given, step=step).verdict == verdict
    wiggly = lambda p: float(np.sum(np.sin(1e7 * p["b"])))
    b = np.array([0.3, 0.4])
    right = 1e7 * np.cos(1e7 * b)
    assert check_gradients(wiggly, {"b": b}, {"b": right}, step=1e-11).verdict != FAIL
    assert check_gradients(wiggly, {"b": b}, {"b": -right}, step=1e-11).verdict == FAIL


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1e7, 1e11, 1e15])
def test_parameters_of_any_size_are_measured(size):
    a = size * np.array([1.0, -2.0, 3.0])
    loss = lambda p: float(np.sum((p["a"] / size) ** 2))
    right = 2 * a / size**2
    report = check_gradients(loss, {"a": a}, {"a": right})
    assert report.verdict == PASS, str(report)
    assert check_gradients(loss, {"a": a}, {"a": -right}).verdict == FAIL


def test_an_empty_array_leaves_the_rest_as_it_is():
    a = np.array([1.0, 2.0])
    params = {"a": a, "none": np.empty((0, 3))}
    assert check_gradients(sum_of_squares, params, {"a": 2 * a, "none": np.empty((0, 3))})


def test_all_wrong_entries_are_counted_also_those_that_are_off_by_little():
    a = np.linspace(0.5, 1.5, 21)
    right = 2 * a
    off = np.zeros(21)
    off[[3, 8, 20]] = 3e-7
    row = check_gradients(sum_of_squares, {"a": a}, {"a": right * (1 + off)}).rows[0]
    assert (row.verdict, row.off, row.pattern) == (FAIL, 3, "entries 3, 8, 20")
    row = check_gradients(
        sum_of_squares, {"a": a}, {"a": right * (1 + 1e3 * off)}, method="directions", rng=0
    ).rows[0]
    assert "at least 1 of 21 entries" in "\n".join(row.details())


def test_a_saturated_loss_is_not_said_to_read_other_arrays():
    loss = lambda p: float(np.sum(1 / (1 + np.exp(-np.clip(p["a"], -700, 700)))))
    report = check_gradients(loss, {"a": np.full(3, 60.0)}, {"a": np.ones(3)})
    assert report.verdict == FAIL and "flat" in report.explanation
    assert "other arrays" not in report.explanation


# I: whatever the loss raises far away


@pytest.mark.parametrize("error", [IndexError, KeyError, AssertionError, RuntimeError, TypeError])
def test_a_loss_that_stops_far_away_is_measured_near_by(error):
    def loss(p):
        if np.abs(p["a"] - 1).max() > 1e-2:
            raise error("out of the table")
        return float(np.sum(p["a"] ** 3))

    a = np.ones(2)
    for method in ("central", "directions"):
        assert check_gradients(loss, {"a": a}, {"a": 3 * a**2}, method=method, rng=0)
        given = {"a": -3 * a**2}
        assert check_gradients(loss, {"a": a}, given, method=method, rng=0).verdict == FAIL


# any function


def test_parameters_may_have_any_form():
    a, W = np.array([1.0, 2.0]), np.arange(6.0).reshape(2, 3)
    for params, grads in [
        (a, 2 * a),
        (3.0, 6.0),
        ([a, 2.0], [2 * a, 4.0]),
        ((a, None, np.arange(3)), (2 * a, None, None)),
        ({"rnn": [{"W": W, "ids": np.arange(2)}], "t": 0.5}, {"rnn": [{"W": 2 * W}], "t": 1.0}),
    ]:

        def loss(p):
            parts = p.values() if isinstance(p, dict) else p
            if isinstance(p, dict | list | tuple):
                return sum(
                    loss(part)
                    for part in parts
                    if part is not None
                    and (not isinstance(part, np.ndarray) or part.dtype.kind == "f")
                )
            return float(np.sum(np.square(p)))

        report = check_gradients(loss, params, grads)
        assert report, str(report)
    names = [row.name for row in report.rows]
    assert names == ["params['rnn'][0]['W']", "params['t']"]
    wrong = check_gradients(loss, params, {"rnn": [{"W": -2 * W}], "t": 1.0})
    assert wrong.cause == "wrong sign" and "params['rnn'][0]['W'][1, 2]" in str(wrong)


def test_gradients_may_be_a_function_which_must_repeat():
    a, total = np.array([1.0, 2.0]), [np.zeros(2)]

    def accumulates(p):
        total[0] = total[0] + 2 * p["a"]
        return {"a": total[0]}

    assert check_gradients(sum_of_squares, {"a": a}, lambda p: {"a": 2 * p["a"]})
    report = check_gradients(sum_of_squares, {"a": a}, accumulates)
    assert report.verdict == FAIL and "second call" in str(report)


def test_a_tolerance_is_for_all_or_by_name_and_is_stated():
    params = {"a": np.array([1.0, 2.0]), "b": np.array([3.0])}
    loss = lambda p: float(np.sum(p["a"] ** 2) + np.sum(p["b"] ** 2))
    near = {"a": 2 * params["a"] * 1.001, "b": 2 * params["b"]}
    assert check_gradients(loss, params, near).verdict == FAIL
    report = check_gradients(loss, params, near, tolerance=1e-2)
    assert report and "tolerance asked for is 0.01" in str(report)
    report = check_gradients(loss, params, near, tolerance={"a": 1e-2})
    assert report and "tolerance" not in report.rows[1].reason
    assert check_gradients(loss, params, near, tolerance={"b": 1e-2}).verdict == FAIL
    assert check_gradients(loss, params, near, tolerance=1e-4).verdict == FAIL
    for bad in (0, -1.0, "small", {"c": 1e-3}):
        with pytest.raises(ValueError, match="tolerance"):
            check_gradients(loss, params, near, tolerance=bad)


def test_a_vjp_is_checked_for_every_argument_its_linearity_and_its_repetition():
    rng = np.random.default_rng(0)
    x, W, ids = rng.standard_normal((5, 3)), rng.standard_normal((4, 3)), np.array([1, 0])
    f = lambda x, W, ids: np.tanh(x[ids] @ W.T)

    def vjp(d, x, W, ids, change=lambda d: d):
        da = change(d) * (1 - f(x, W, ids) ** 2)
        dx = np.zeros_like(x)
        np.add.at(dx, ids, da @ W)
        return dx, da.T @ x[ids], None

    args = (x, W, ids)
    report = check_vjp(f, vjp, args)
    assert report and [row.name for row in report.rows] == ["x", "W"], str(report)
    lost = lambda d, *a: (vjp(d, *a)[0], 0 * a[1], None)
    report = check_vjp(f, lost, args)
    assert report.verdict == FAIL and report.cause == "all zero"
    square = lambda d, *a: vjp(d, *a, change=lambda d: d * np.abs(d))
    assert "linearity" in str(check_vjp(f, square, args))

    def changes(d, x, W, ids):
        x *= 2
        return vjp(d, x, W, ids)

    kept = x.tobytes()
    assert "changes its arguments" in str(check_vjp(f, changes, args))
    assert x.tobytes() == kept
    with pytest.raises(ValueError, match="returned 2 gradients for 3 arguments"):
        check_vjp(f, lambda d, *a: vjp(d, *a)[:2], args)
    two = lambda a: (np.sin(a), {"b": a * a})
    assert check_vjp(two, lambda d, a: d[0] * np.cos(a) + 2 * a * d[1]["b"], W)


def test_the_whole_zoo():
    for name, size, loss, params, right, wrong in cases():
        report = check_gradients(loss, params, right, rng=0)
        assert report.verdict != FAIL, (name, size, str(report))
        for what, grads in wrong:
            assert check_gradients(loss, params, grads, rng=0).verdict == FAIL, (name, size, what)
