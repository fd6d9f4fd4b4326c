"""check_gradients: what it accepts, what it leaves behind, and its three methods."""

import numpy as np
import pytest

from tinytie import check_gradients

quadratic = lambda p: float(np.sum(p["a"] ** 2))


def test_parameters_are_restored_bit_for_bit():
    a = np.array([-0.0, 1e-310, 1.0, -3.5e200])
    before = a.tobytes()
    check_gradients(lambda p: float(np.sum(np.tanh(p["a"]))), {"a": a}, {"a": np.ones(4)})
    assert a.tobytes() == before


@pytest.mark.parametrize(
    "call", [(KeyboardInterrupt, 1), (KeyboardInterrupt, 7), (RuntimeError, 1)]
)
@pytest.mark.parametrize("method", ["central", "directions"])
def test_parameters_are_restored_when_the_loss_raises(call, method):
    a = np.array([0.1, 0.2, 0.3])
    before, calls = a.tobytes(), [0]

    def loss(p):
        calls[0] += 1
        if calls[0] == call[1]:
            raise call[0]
        return quadratic(p)

    with pytest.raises(call[0]):
        check_gradients(loss, {"a": a}, {"a": 2 * a}, method=method)
    assert a.tobytes() == before


def test_a_replaced_array_is_put_back():
    params = {"a": np.ones(2)}
    kept = params["a"]

    def replaces(p):
        p["a"] = p["a"].copy()
        return quadratic(p)

    check_gradients(replaces, params, {"a": 2 * kept})
    assert params["a"] is kept


def test_any_shape_can_be_checked():
    for shape in [(), (1,), (2, 3, 2), (1, 1)]:
        a = np.full(shape, 0.7)
        assert check_gradients(quadratic, {"a": a}, {"a": 2 * a}).verdict == "PASS"
    strided = np.ones((4, 6))[::2, ::3]
    assert check_gradients(quadratic, {"a": strided}, {"a": 2 * strided}).verdict == "PASS"


def test_an_empty_array_has_nothing_to_be_wrong():
    params = {"a": np.ones(2), "none": np.ones((0, 3))}
    report = check_gradients(quadratic, params, {"a": 2 * np.ones(2), "none": np.ones((0, 3))})
    assert report and "no entries" in report.rows[1].reason


A = np.ones((2, 3))
BAD = {
    "missing": ({"a": A}, {}, "missing ['a']"),
    "unknown": ({"a": A}, {"a": A, "b": A}, "unknown ['b']"),
    "shape": ({"a": A}, {"a": np.ones((2, 2))}, "shape (2, 2), its parameter (2, 3)"),
    "transposed": ({"a": A}, {"a": A.T}, "looks transposed"),
    "dtype": ({"a": A}, {"a": A.astype(np.float32)}, "dtype float32"),
    "complex": ({"a": A}, {"a": 1j * A}, "real numbers"),
    "words": ({"a": A}, {"a": "gradient"}, "real numbers"),
    "ragged": ({"a": A}, {"a": [[1.0], [1.0, 2.0]]}, "ragged"),
    "nothing": ({}, {}, "empty"),
    "integers": ({"a": np.ones(3, int)}, {"a": np.ones(3)}, "floats"),
    "a set": ({"a": {1.0}}, {"a": 1.0}, "must be an array, a number, or None"),
    "a list": ([A], {"a": A}, "must be a list like params"),
    "shorter": ([A, A.copy()], [A], "has 1 parts, params 2 there"),
    "no dict of grads": ({"a": A}, [A], "grads must be a dict"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_one_sentence(kind):
    params, grads, says = BAD[kind]
    with pytest.raises((ValueError, TypeError)) as error:
        check_gradients(quadratic, params, grads)
    assert says in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("bad", [(1.0, None), (1.0,), [1.0], np.ones(2), "1.0", None, 1j])
def test_a_loss_must_be_one_number(bad):
    with pytest.raises(TypeError, match="one number"):
        check_gradients(lambda p: bad, {"a": A}, {"a": A})


@pytest.mark.parametrize("options", [{"method": "best"}, {"step": 0}, {"step": -1e-5},
                                     {"step": np.nan}, {"step": "small"}])  # fmt: skip
def test_bad_options_are_refused(options):
    with pytest.raises((ValueError, TypeError), match=r"method|step"):
        check_gradients(quadratic, {"a": A}, {"a": 2 * A}, **options)


@pytest.mark.parametrize("step", [1e-3, 1e-7])
def test_another_step_gives_the_same_verdicts(step):
    loss = lambda p: float(np.sum(np.exp(p["a"])))
    a = np.array([0.3, 0.5])
    assert check_gradients(loss, {"a": a}, {"a": np.exp(a)}, step=step).verdict == "PASS"
    assert check_gradients(loss, {"a": a}, {"a": 1.001 * np.exp(a)}, step=step).verdict == "FAIL"


def cubic(p):
    return np.sum(p["a"] ** 3)


def test_the_complex_step_sees_what_central_differences_cannot():
    a = np.random.default_rng(0).standard_normal(5)
    right, wrong = 3 * a**2, 3 * a**2
    wrong = wrong * (1 + 3e-8 * (np.arange(5) == np.abs(a).argmax()))
    assert check_gradients(cubic, {"a": a}, {"a": right}, method="complex").verdict == "PASS"
    assert check_gradients(cubic, {"a": a}, {"a": wrong}, method="complex").verdict == "FAIL"


def test_the_complex_step_refuses_a_loss_that_drops_the_imaginary_part():
    with pytest.raises(ValueError, match="complex"):
        check_gradients(quadratic, {"a": A}, {"a": 2 * A}, method="complex")


def test_the_complex_step_is_not_believed_where_the_loss_is_not_analytic():
    a = np.array([1.0, -2.0])
    loss = lambda p: np.sum(np.abs(p["a"]))
    report = check_gradients(loss, {"a": a}, {"a": np.zeros(2)}, method="complex")
    assert report.verdict == "UNCHECKED"


def large(wrong_by):
    """A loss of 20,000 entries, and its gradient with one entry off."""
    a = np.random.default_rng(0).standard_normal((200, 100))
    grads = np.cos(a)
    grads[17, 23] += wrong_by
    return (lambda p: float(np.sum(np.sin(p["a"])))), {"a": a}, {"a": grads}


def test_a_large_array_is_checked_along_random_directions():
    report = check_gradients(*large(0.0), rng=0)
    assert report.verdict == "PASS" and "8 random directions" in report.rows[0].reason


@pytest.mark.parametrize("by", [1.0, -1e-3])
def test_one_wrong_entry_of_a_large_array_is_found_by_halving(by):
    row = check_gradients(*large(by), rng=0).rows[0]
    assert (row.verdict, row.index) == ("FAIL", (17, 23))
    assert row.error == pytest.approx(abs(by / row.numeric))
