"""The parts of the gradient check one by one: what they say, measure and hold still."""

import math

import numpy as np
import pytest

from tests.gradcheck.cases import telling_case
from tests.gradcheck.test_verdicts import network
from tinytie import check_gradients
from tinytie.gradcheck import FAIL, PASS, UNCHECKED, Report, Row
from tinytie.gradcheck.diagnosis.causes import Fit, chosen
from tinytie.gradcheck.diagnosis.meaning import times
from tinytie.gradcheck.diagnosis.network import Network, sliced, spans_of
from tinytie.gradcheck.diagnosis.pattern import pattern_of
from tinytie.gradcheck.diagnosis.pictures import embedding_residual, errors_by_step
from tinytie.gradcheck.diagnosis.places import kept_places, repeated_edge, without_edge
from tinytie.gradcheck.diagnosis.variants import detachments, only_weight, variants_of
from tinytie.gradcheck.ladder import best_of_table, extrapolated, kink_of, ridders
from tinytie.gradcheck.numeric import central, difference, numeric_gradient
from tinytie.ops.cells import LSTMState

IDS = np.array([[4, 7, 4, 5], [4, 5, 5, 6]])


def wrong_at(*places, shape=(9, 4)):
    """A bool array that is true in these places."""
    wrong = np.zeros(shape, bool)
    for place in places:
        wrong[place] = True
    return wrong


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (wrong_at(2, 5, shape=(9,)), "entries 2, 5"),
        (wrong_at(*range(6)), "rows 0, 1, 2, 3, 4, 5"),
        (wrong_at(*range(8)), "rows 0, 1, 2, 3, 4, 5 and 2 more"),
        (wrong_at(np.s_[:, 1:3]), "columns 1, 2"),
        (wrong_at(np.s_[2:4, 1:3]), "rows 2, 3 in columns 1, 2"),
        (wrong_at((0, 0), (3, 3)), "scattered over rows 0, 3"),
        (wrong_at((0, 0), (3, 1), (3, 2), (5, 3)), "scattered over rows 0, 3, 5"),
        (wrong_at(*[(row, row % 2) for row in range(9)]), "scattered over columns 0, 1"),
        (wrong_at(*[(row, row % 4) for row in range(9)]), "scattered"),
        (~wrong_at((1, 1), (2, 3)), "nearly all of them"),
        (wrong_at((1, 0, 1), (1, 1, 1), shape=(3, 2, 2)), "axis 0 at 1 in axis 2 at 1"),
    ],
)
def test_wrong_entries_are_said_by_their_rows_and_columns(wrong, words):
    assert pattern_of(wrong) == words


def test_how_often_a_token_occurs_is_said_in_words():
    assert [times(n) for n in range(5)] == ["never", "once", "twice", "3 times", "4 times"]


def a_row(verdict, name="W", index=(4, 1), analytic=3.0, numeric=2.0, **more):
    return Row(name, verdict, 0.5, 1e-6, index, analytic, numeric, **more)


def test_the_verdict_of_a_report_is_the_worst_of_its_rows():
    verdict = lambda *verdicts: Report([a_row(v) for v in verdicts]).verdict
    assert verdict(PASS, PASS) == PASS
    assert verdict(PASS, UNCHECKED) == verdict() == UNCHECKED
    assert verdict(PASS, UNCHECKED, FAIL) == FAIL


def test_a_row_says_its_place_its_ratio_and_its_reason():
    row = a_row(FAIL, off=2, size=8, pattern="rows 4", meaning="unit 4")
    assert (row.place, row.ratio) == ("W[4, 1]", 1.5)
    assert row.details() == [
        "W[4, 1] (unit 4): analytic 3, numeric 2, ratio 1.5",
        "W: 2 of 8 entries are off: rows 4",
    ]
    assert a_row(PASS, size=8).details() == a_row(FAIL).details() == []
    assert "at W[4, 1]" in str(row) and str(row).endswith("W[4, 1]")
    assert str(a_row(UNCHECKED, index=None, reason="why")).endswith("1.0e-06): why")
    assert math.isnan(a_row(FAIL, numeric=0.0).ratio)
    assert "ratio" not in a_row(FAIL, numeric=0.0, size=8).details()[0]
    assert a_row(PASS, index=()).place == "W"


def test_a_report_ends_with_the_verdict_and_names_a_cause_only_where_one_row_fails():
    failed = str(Report([a_row(FAIL, off=1, size=8)], "wrong sign", "in W"))
    assert failed.splitlines()[-2:] == ["cause: wrong sign: in W", "verdict: FAIL"]
    assert "cause: not known\n" in str(Report([a_row(FAIL)]))
    assert "cause" not in str(Report([a_row(PASS)]))


def test_what_json_cannot_hold_is_none_in_the_plain_values():
    said = Report([a_row(FAIL, numeric=math.nan, analytic=-math.inf)]).as_dict()["rows"][0]
    assert (said["numeric"], said["analytic"], said["index"]) == (None, None, [4, 1])
    assert said["error"] == 0.5


def test_an_extrapolated_slope_is_within_its_bound_and_the_bound_is_small():
    for f, value, right in [(np.exp, 1.0, 1.0), (lambda h: math.sin(2 + 3 * h), math.sin(2),
                                                 3 * math.cos(2))]:  # fmt: skip
        slope = extrapolated(f, value)
        assert abs(slope.value - right) <= slope.bound < 1e-9
        assert slope.kink == 0


def test_a_central_difference_comes_with_the_jump_between_its_two_sides():
    assert central(lambda h: 5 + 3 * h + abs(h), 5.0, 0.1) == pytest.approx((3, 2))
    assert central(lambda h: 5 + 3 * h + h * h, 5.0, 0.1) == pytest.approx((3, 0.2))


@pytest.mark.parametrize("jump", [2.0, 0.01])
def test_a_kink_at_the_point_is_measured_by_the_jump_of_its_slope(jump):
    slope = extrapolated(lambda h: 3 * h + jump / 2 * abs(h), 0.0)
    assert slope.value == pytest.approx(3)
    assert slope.kink == pytest.approx(jump)


@pytest.mark.parametrize(
    ("jumps", "kink"),
    [
        ([1.0, 1.0, 1.0], 1.0),
        ([1.0, 1.0, 0.995], 0.9925),
        ([-1.0, 1.0, 1.0], 1.0),
        ([1.0, 1.0, -1.0], 0.0),  # of both signs: a rough loss
        ([9.0, 3.0, 1.0], 0.0),  # smooth
        ([1.0, 0.7, 0.0], 0.0),  # a kink beside the point, which finer steps no longer meet
    ],
)
def test_a_kink_is_told_by_the_jumps_of_the_finest_steps(jumps, kink):
    assert kink_of(np.array(jumps), np.full(3, 1e-9)) == pytest.approx(kink)


def test_steps_at_which_the_loss_is_not_defined_are_left_out():
    inside = extrapolated(lambda h: math.log(1e-4 + h), math.log(1e-4))
    assert abs(inside.value - 1e4) <= inside.bound < 10
    assert all(type(number) is float for number in inside)
    nowhere = extrapolated(lambda h: math.nan, 0.0)
    assert math.isnan(nowhere.value) and nowhere.bound == math.inf


def test_the_table_takes_the_entry_with_the_least_bound():
    slopes = 5 + (0.1 / 3.0 ** np.arange(4)) ** 2  # an error in h² alone: one column removes it
    best, bound, *_ = best_of_table(ridders(slopes.tolist()), np.full(4, 1e-15))
    assert best == pytest.approx(5, abs=1e-14) and bound < 1e-3
    assert best_of_table(ridders([1.0, 2.0]), np.zeros(2)) == (2.125, 4.5, 1, 1)


def test_differences_are_of_the_array_that_the_loss_reads():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    loss = lambda: float(np.sum(a**3))
    np.testing.assert_allclose(numeric_gradient(loss, a), 3 * a**2, rtol=1e-8)
    assert difference(loss, a, (1, 0), 1e-4) == pytest.approx(27, rel=1e-8)
    assert difference(loss, a, (1, 0), 1.0) == pytest.approx(28)  # 3 a² + h²


def test_the_error_of_each_difference_falls_with_its_own_power_of_the_step():
    a = np.array([1.0, 2.0])
    errors = errors_by_step(lambda: float(np.sum(a**4)), a, 4 * a**3, np.array([1e-1, 1e-2]))
    assert errors["forward"][1] == pytest.approx(24 * 0.01 / 32, rel=0.02)
    assert errors["central"][1] == pytest.approx(8 * 0.01**2 / 32)
    assert errors["extrapolated (h, h/2)"].max() < 1e-10  # exact for a⁴, to rounding
    assert a.tolist() == [1.0, 2.0]


def test_the_residual_beside_both_paths_is_of_a_tied_matrix_alone():
    model, *batch = telling_case(steps=2)
    assert np.abs(embedding_residual(model, *batch).residual).max() < 1e-7
    with pytest.raises(ValueError, match="this model is untied"):
        embedding_residual(*telling_case(tied=False))


@pytest.mark.parametrize(("by", "verdict"), [(5e-9, PASS), (5e-8, FAIL)])
def test_the_worst_entry_is_held_to_a_hundred_millionth(by, verdict):
    a = np.array([1.0, 2.0])
    loss = lambda p: float(np.sum(p["a"] ** 2))
    row = check_gradients(loss, {"a": a}, {"a": 2 * a * [1, 1 + by]}).rows[0]
    assert (row.verdict, row.index) == (verdict, (1,))
    assert row.tolerance == pytest.approx(1e-8 if verdict == FAIL else 1e-6, rel=1e-2)
    numbers = (row.error, row.tolerance, row.analytic, row.numeric)
    assert all(type(number) is float for number in numbers)


def test_a_gradient_without_a_number_beside_a_wrong_one_has_no_cause():
    loss, params, grads = network(0)
    report = check_gradients(loss, params, {"W": np.nan * grads["W"], "b": -grads["b"]})
    assert [row.verdict for row in report.rows] == [FAIL, FAIL]
    assert report.cause is None


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (3.0, "√d"),
        (1 / 3, "1/√d"),
        (9.0, "d"),
        (1 / 9, "1/d"),
        (2.0, None),
        (-0.5, None),
        (1 + 5e-7, None),
    ],
)
def test_a_factor_is_known_by_the_number_its_root_or_its_inverse(factor, said):
    loss, params, grads = network(0)
    wrong = {"W": factor * grads["W"], "b": grads["b"]}
    report = check_gradients(
        loss, params, wrong, numbers={"d": 9, "one": 1, "none": 0, "less": -0.5}
    )
    assert report.cause == "constant factor"
    known = f" = {said}" if said else ""
    assert f"{factor:.6g}{known} in W" in report.explanation


def test_a_loss_may_be_any_one_real_number():
    for wrap in (float, np.float64, lambda v: np.array([[v]]), lambda v: np.array(v)):
        a = np.array([0.5, 0.25])
        loss = lambda p, wrap=wrap: wrap(float(np.sum(p["a"] ** 2)))
        assert check_gradients(loss, {"a": a}, {"a": 2 * a}).verdict == PASS


def test_directions_are_taken_where_they_are_asked_for():
    loss, params, grads = network(0)
    right = check_gradients(loss, params, grads, method="directions", rng=0)
    assert right.verdict == PASS
    assert all("8 random directions" in row.reason and row.index is None for row in right.rows)
    assert all(1e-8 < row.tolerance < 1.1e-8 for row in right.rows)
    grads["b"][2] += 0.5
    row = check_gradients(loss, params, grads, method="directions", rng=0).rows[1]
    assert (row.verdict, row.index, row.off, row.size) == (FAIL, (2,), 1, 4)
    assert row.error == pytest.approx(0.5 / abs(row.numeric), rel=1e-6)


def test_a_careless_scatter_keeps_one_place_of_each_token():
    kept = {which: keep.astype(int).tolist() for which, keep in kept_places(IDS).items()}
    assert kept == {
        "last place": [[0, 1, 0, 0], [1, 0, 1, 1]],
        "first place": [[1, 1, 0, 1], [0, 0, 0, 1]],
        "last place in a step": [[0, 1, 1, 1], [1, 1, 1, 1]],
        "first place in a step": [[1, 1, 1, 1], [0, 1, 1, 1]],
        "last place in a sentence": [[0, 1, 1, 1], [1, 0, 1, 1]],
        "first place in a sentence": [[1, 1, 0, 1], [1, 1, 0, 1]],
    }
    assert kept_places(np.arange(6).reshape(2, 3)) == {}


def test_a_state_may_be_held_as_a_whole_by_its_layers_or_by_its_parts():
    h, c = np.zeros((2, 1, 3))
    assert [*detachments((h,), range(1))] == [""]
    assert [*detachments((h, c), range(2))] == ["", "in layer 0", "in layer 1"]
    assert [*detachments((LSTMState(h, c),), range(1))] == ["", "of h", "of c"]


def test_rows_may_be_overwritten_by_the_whole_of_the_lookup_or_by_one_place_of_each_token():
    model, x, *batch = telling_case(steps=3)
    tried = variants_of(Network(model, x, *batch, None), model)
    moved = [v.lookups for v in tried if v.cause == "paths overwritten"]
    assert moved[0] is None and len(moved) == 1 + len(kept_places(x)) > 1 and all(moved[1:])


def test_the_state_is_cut_before_each_step_and_after_every_few():
    model, *batch = telling_case(steps=6)
    tried = variants_of(Network(model, *batch, None), model)
    cuts = [(v.detail, v.cuts) for v in tried if v.cause == "state cut inside"]
    assert cuts[:5] == [(f"before step {step}", (step,)) for step in range(1, 6)]
    assert cuts[5:] == [("every 2 steps", (2, 4)), ("every 3 steps", (3,))]


def test_a_cause_is_chosen_only_where_no_other_fits():
    sign, transposed = Fit("wrong sign", "in W"), Fit("transposed", "in W")
    assert chosen([sign, sign], "")[0] == "wrong sign"
    assert chosen([sign, transposed], "")[0] is None
    assert chosen([], "")[0] is None


def test_ids_of_another_step_keep_the_edge_or_leave_it_out():
    assert repeated_edge(IDS, 1).tolist() == [[4, 4, 7, 4], [4, 4, 5, 5]]
    assert repeated_edge(IDS, -1).tolist() == [[7, 4, 5, 5], [5, 5, 6, 6]]
    v = np.arange(1.0, 10)[:, None]
    assert without_edge(IDS, 1, v)[..., 0].tolist() == [[0, 5, 8, 5], [0, 5, 6, 6]]
    assert without_edge(IDS, -1, v)[..., 0].tolist() == [[8, 5, 6, 0], [6, 6, 7, 0]]


def test_one_piece_counts_its_share_or_as_a_mean_of_its_own():
    assert only_weight(1, False, [0.5, 0.3, 0.2]) == [0, 0.3, 0]
    assert only_weight(2, True, [0.5, 0.3, 0.2]) == [0, 0, 1]


def test_a_sequence_is_cut_with_its_masks():
    assert spans_of((2, 3), 5) == [slice(0, 2), slice(2, 3), slice(3, 5)]
    assert spans_of((), 5) == [slice(0, 5)]
    each, shared = np.arange(10.0).reshape(1, 5, 2), np.ones((1, 1, 2))
    cut, same, none = sliced((each, shared, None), slice(2, 3), 5)
    assert np.array_equal(cut, each[:, 2:3]) and same is shared and none is None


def test_a_float32_array_beside_a_float64_one_is_told_what_to_do():
    params = {"a": np.array([0.3, 0.7]), "b": np.array([0.3, 0.7], np.float32)}
    loss = lambda p: float(np.float32(np.sum(p["a"] ** 2) + np.sum(p["b"] ** 2)))
    row = check_gradients(loss, params, {name: 2 * a for name, a in params.items()}).rows[1]
    assert row.verdict == UNCHECKED and "check a float64 copy" in row.reason
