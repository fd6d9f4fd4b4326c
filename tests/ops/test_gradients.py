"""Generic tests over the registry: what must hold for every pair, whatever it computes."""

import importlib
import pkgutil
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tinytie.ops
from tinytie import check_operation
from tinytie.gradcheck.operation import leaves, map_leaves
from tinytie.ops import gru, lstm, rnn
from tinytie.ops.registry import OPERATIONS, Sizes

everyone = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda op: op.name)
seeds = st.integers(0, 2**32 - 1)
nearly_equal = partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)

# all sizes different, B >= 2, T >= 3: where a missing transpose or a lost step cannot hide
telling_sizes = st.builds(
    Sizes, B=st.just(2), T=st.just(3), V=st.sampled_from([7, 9]), D=st.sampled_from([4, 6]),
    H=st.sampled_from([5, 8]),
)  # fmt: skip
TELLING = Sizes(B=2, T=3, V=7, D=4, H=5)
DEGENERATE = [
    Sizes(B=1, T=1, V=2, D=1, H=1), Sizes(B=1, T=4, V=2, D=1, H=3), Sizes(B=3, T=1, V=5, D=3, H=1),
    Sizes(B=2, T=2, V=2, D=2, H=2),
]  # fmt: skip


def run(operation, seed=0, sizes=TELLING, dtype=np.float64):
    """(arguments, out, d_out, cache): one forward pass, and a gradient that comes from above."""
    rng = np.random.default_rng(seed)
    arguments = operation.sample(rng, sizes)
    arguments = {name: cast(value, dtype) for name, value in arguments.items()}
    out, cache = operation.forward(*arguments.values())
    d_out = map_leaves(lambda a: cast(rng.standard_normal(np.shape(a)), dtype), out)
    return arguments, out, d_out, cache


def cast(value, dtype):
    """Float arrays in this dtype; ids, options and None as they are."""
    if isinstance(value, tuple):
        return map_leaves(lambda a: cast(a, dtype), value)
    floating = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return value.astype(dtype) if floating else value


def bits(value):
    """Every array inside nested tuples and lists, as bytes."""
    if isinstance(value, tuple | list):
        return [bits(part) for part in value]
    return value.tobytes() if isinstance(value, np.ndarray) else value


def gradients(operation, d_out, cache):
    """The gradients by the names of the arguments; those of an argument left out are dropped."""
    found = operation.backward(d_out, cache)
    found = (found,) if len(operation.differentiable) == 1 else found
    found = [g for g in found if g is not None]
    return dict(zip(operation.differentiable, found, strict=True))


@everyone
@given(sizes=telling_sizes, seed=seeds)
def test_every_gradient_equals_the_finite_difference(operation, sizes, seed):
    report = check_operation(operation, sizes, seed)
    assume(report.verdict != "UNCHECKED")  # a relu may be dead, or bend, at the point that is drawn
    assert report.verdict == "PASS", str(report)
    assert np.isfinite([row.error for row in report.rows]).all()


@everyone
@pytest.mark.parametrize("sizes", DEGENERATE, ids=str)
def test_no_gradient_fails_at_degenerate_sizes(operation, sizes):
    report = check_operation(operation, sizes, 0)
    assert report.verdict != "FAIL", str(report)


@everyone
def test_a_second_backward_returns_the_same_bits(operation):
    _, _, d_out, cache = run(operation)
    first = operation.backward(d_out, cache)
    kept = bits(first)
    assert bits(operation.backward(d_out, cache)) == kept
    assert bits(first) == kept  # the second call left the arrays of the first alone


@everyone
def test_zero_from_above_gives_zero(operation):
    _, _, d_out, cache = run(operation)
    zero = map_leaves(lambda a: 0 * a, d_out)
    for gradient in gradients(operation, zero, cache).values():
        assert not any(array.any() for array in leaves("", gradient).values())


@everyone
def test_a_backward_is_linear_in_what_comes_from_above(operation):
    _, _, d_out, cache = run(operation)
    once = gradients(operation, d_out, cache)
    thrice = gradients(operation, map_leaves(lambda a: 3 * a, d_out), cache)
    for name in once:
        for a, b in zip(leaves("", once[name]).values(), leaves("", thrice[name]).values(),
                        strict=True):  # fmt: skip
            nearly_equal(3 * a, b)


@everyone
def test_neither_arguments_nor_cache_nor_the_gradient_from_above_are_changed(operation):
    arguments, _, d_out, cache = run(operation)
    fresh = operation.sample(np.random.default_rng(0), TELLING)
    assert bits([*arguments.values()]) == bits([*fresh.values()])
    before = bits([*arguments.values(), cache, d_out])
    operation.backward(d_out, cache)
    assert bits([*arguments.values(), cache, d_out]) == before


@everyone
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_outputs_and_gradients_have_the_dtype_and_gradients_the_shape_of_the_argument(
    operation, dtype
):
    arguments, out, d_out, cache = run(operation, dtype=dtype)
    assert all(a.dtype == dtype for a in leaves("", out).values() if a.ndim)
    for name, gradient in gradients(operation, d_out, cache).items():
        for key, array in leaves(name, gradient).items():
            expected = leaves(name, arguments[name])[key]
            assert (array.shape, array.dtype) == (expected.shape, dtype), key


@everyone
def test_float32_gradients_agree_with_those_of_float64(operation):
    exact = gradients(operation, *run(operation)[2:])
    coarse = gradients(operation, *run(operation, dtype=np.float32)[2:])
    for name in exact:
        for key, array in leaves(name, exact[name]).items():
            other = leaves(name, coarse[name])[key]
            np.testing.assert_allclose(other, array, rtol=1e-4, atol=1e-4 * np.abs(array).max())


def test_every_forward_of_the_package_has_an_entry():
    entries = {operation.forward for operation in OPERATIONS}
    pairs = {operation.forward: operation.backward for operation in OPERATIONS}
    modules = [m for m in pkgutil.iter_modules(tinytie.ops.__path__) if m.name != "registry"]
    for module in modules:
        found = vars(importlib.import_module(f"tinytie.ops.{module.name}"))
        for name, function in found.items():
            if name.endswith("_forward"):
                assert function in entries, f"{name} is not in the registry"
                assert pairs[function].__name__ == name.removesuffix("forward") + "backward"


STEPWISE = {
    "rnn": (rnn.rnn_forward, rnn.rnn_backward, rnn.rnn_step_forward, rnn.rnn_step_backward, 1),
    "gru": (gru.gru_forward, gru.gru_backward, gru.gru_step_forward, gru.gru_step_backward, 3),
    "lstm": (
        lstm.lstm_forward, lstm.lstm_backward, lstm.lstm_step_forward, lstm.lstm_step_backward, 4
    ),
}  # fmt: skip


@pytest.mark.parametrize("cell", STEPWISE)
@pytest.mark.parametrize("masked", [None, "each step", "one mask"])
@given(seed=seeds)
def test_a_sequence_is_its_steps_one_after_the_other(cell, masked, seed):
    forward, backward, step_forward, step_backward, gates = STEPWISE[cell]
    rng, (B, T, D, H) = np.random.default_rng(seed), (2, 4, 3, 5)
    e, dh = rng.standard_normal((B, T, D)), rng.standard_normal((B, T, H))
    W, U, b = (rng.standard_normal(shape) for shape in [(gates * H, D), (gates * H, H), gates * H])
    state, d_last = (as_state(cell, rng.standard_normal((2, B, H))) for _ in range(2))
    mask = state_mask(rng, masked, B, T, H)
    at = (lambda t: None) if mask is None else (lambda t: mask[:, min(t, mask.shape[1] - 1)])

    (h, last), cache = forward(e, state, W, U, b, mask)
    s, caches = state, []
    for t in range(T):
        s, kept = step_forward(e[:, t], s, W, U, b, at(t))
        caches.append(kept)
        nearly_equal(h[:, t], s.h if cell == "lstm" else s)
    nearly_equal(last, s)

    de, d_first, *sums = backward((dh, d_last), cache)
    ds, totals = d_last, [0, 0, 0]
    for t in reversed(range(T)):
        ds = add_to_h(cell, ds, dh[:, t])
        de_t, ds, *parts = step_backward(ds, caches[t])
        nearly_equal(de[:, t], de_t)
        totals = [total + part for total, part in zip(totals, parts, strict=True)]
    nearly_equal(d_first, ds)
    for whole, total in zip(sums, totals, strict=True):
        nearly_equal(whole, total)


@pytest.mark.parametrize("cell", STEPWISE)
def test_a_detached_last_state_is_one_from_which_zero_comes_back(cell):
    operation = next(op for op in OPERATIONS if op.name.split(",")[0] == cell)
    _, _, (dh, d_last), cache = run(operation)
    detached = operation.backward((dh, None), cache)
    zero = operation.backward((dh, map_leaves(np.zeros_like, d_last)), cache)
    assert bits(detached) == bits(zero)


def state_mask(rng, kind, batch, steps, width):
    """No mask, one for each step, or one that all steps share."""
    if kind is None:
        return None
    shape = (batch, steps if kind == "each step" else 1, width)
    return 2.0 * (rng.random(shape) < 0.5)


def as_state(cell, pair):
    """An LSTM state of two arrays, or the first of them."""
    return lstm.LSTMState(*pair) if cell == "lstm" else pair[0]


def add_to_h(cell, ds, dh):
    """What comes back from the next step, plus what comes from above."""
    return ds._replace(h=ds.h + dh) if cell == "lstm" else ds + dh
