"""Generic tests over the registry: what must hold for every pair, whatever it computes."""

import importlib
import pkgutil
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tinytie.ops
from tinytie import check_operation
from tinytie.ops.cells import CELLS
from tinytie.ops.leaves import leaves, map_leaves
from tinytie.ops.recurrence import Cell, plus_h, recurrence_backward, recurrence_forward
from tinytie.ops.registry import Sizes, operations

OPERATIONS = operations()
everyone = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda op: op.name)
seeds = st.integers(0, 2**32 - 1)
nearly_equal = partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)

# all sizes different, B >= 2, T >= 3: where a missing transpose or a lost step cannot hide
telling_sizes = st.builds(
    Sizes, B=st.just(2), T=st.just(3), V=st.sampled_from([7, 9]), D=st.sampled_from([4, 6]),
    H=st.just(5),
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
@settings(max_examples=1 + settings().max_examples // 4)  # each bumps every entry of every argument
@given(sizes=telling_sizes, seed=seeds)
def test_every_gradient_equals_the_finite_difference(operation, sizes, seed):
    report = check_operation(operation, sizes, seed)
    assume(report.verdict != "UNCHECKED")  # a relu may be dead, or bend, at the point that is drawn
    assert report.verdict == "PASS", str(report)
    assert report.rows
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
    pairs = {unbound(op.forward): unbound(op.backward) for op in OPERATIONS}
    for module in (m for m in pkgutil.iter_modules(tinytie.ops.__path__) if m.name != "registry"):
        found = vars(importlib.import_module(f"tinytie.ops.{module.name}"))
        for name, function in found.items():
            if name.endswith("_forward"):
                assert function in pairs, f"{name} is not in the registry"
                assert pairs[function].__name__ == name.removesuffix("forward") + "backward"


def unbound(function):
    """The function inside a partial."""
    return getattr(function, "func", function)


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("steps_of_mask", [None, 4, 1])
@given(seed=seeds)
def test_a_sequence_is_its_steps_one_after_the_other(cell, steps_of_mask, seed):
    rng, (B, T, D, H), G = np.random.default_rng(seed), (2, 4, 3, 5), cell.gates
    e, dh = rng.standard_normal((B, T, D)), rng.standard_normal((B, T, H))
    W, U, b = (rng.standard_normal(shape) for shape in [(G * H, D), (G * H, H), G * H])
    parts = len(cell.state._fields)
    state, d_last = (cell.state(*rng.standard_normal((parts, B, H))) for _ in range(2))
    mask = None if steps_of_mask is None else 2.0 * (rng.random((B, steps_of_mask, H)) < 0.5)
    m = np.ones((B, T, H)) if mask is None else np.broadcast_to(mask, (B, T, H))

    (h, last), cache = recurrence_forward(cell, e, state, W, U, b, mask)
    s, fed, kept = state, [], []
    for t in range(T):
        fed.append(m[:, t] * s.h)
        s, kept_t = cell.forward(e[:, t] @ W.T + b, fed[t] @ U.T, s)
        kept.append(kept_t)
        nearly_equal(h[:, t], s.h)
    nearly_equal(last, s)

    de, d_first, dW, dU, db = recurrence_backward(cell, (dh, d_last), cache)
    ds, sum_W, sum_U, sum_b = d_last, 0, 0, 0
    for t in reversed(range(T)):
        da, du, ds = cell.backward(plus_h(ds, dh[:, t]), kept[t])
        ds = plus_h(ds, m[:, t] * (du @ U))
        nearly_equal(de[:, t], da @ W)
        sum_W, sum_U, sum_b = sum_W + da.T @ e[:, t], sum_U + du.T @ fed[t], sum_b + da.sum(axis=0)
    nearly_equal(d_first, ds)
    for whole, total in [(dW, sum_W), (dU, sum_U), (db, sum_b)]:
        nearly_equal(whole, total)


@pytest.mark.parametrize("name", CELLS)
def test_a_detached_last_state_is_one_from_which_zero_comes_back(name):
    operation = next(op for op in OPERATIONS if op.name == name)
    _, _, (dh, d_last), cache = run(operation)
    detached = operation.backward((dh, None), cache)
    zero = operation.backward((dh, map_leaves(np.zeros_like, d_last)), cache)
    assert bits(detached) == bits(zero)


def minimal_gated_unit(z_factor):
    """A cell from outside: z = σ(a_z + u_z), h = (1 − z) ∘ h_prev + z ∘ tanh(a_n + z ∘ u_n)."""

    def forward(a, u, state):
        H = a.shape[-1] // 2
        z = 1 / (1 + np.exp(-a[:, :H] - u[:, :H]))
        n = np.tanh(a[:, H:] + z * u[:, H:])
        return type(state)((1 - z) * state.h + z * n), (z, n, u[:, H:], state)

    def backward(dstate, kept):
        z, n, u_n, (h_prev,) = kept
        da_n = (1 - n * n) * z * dstate.h
        dz = (n - h_prev) * dstate.h + z_factor * da_n * u_n
        da_z = z * (1 - z) * dz
        da, du = np.hstack([da_z, da_n]), np.hstack([da_z, da_n * z])
        return da, du, type(dstate)((1 - z) * dstate.h)

    return Cell(2, forward, backward, CELLS["gru"].state)


@pytest.mark.parametrize(("z_factor", "verdict"), [(1, "PASS"), (0, "FAIL")])
def test_a_cell_that_is_registered_is_reached_by_the_property_test(monkeypatch, z_factor, verdict):
    monkeypatch.setitem(CELLS, "mgu", minimal_gated_unit(z_factor))
    found = [op for op in operations() if op.name.startswith("mgu")]
    assert len(found) == 5
    for operation in found:
        assert check_operation(operation, TELLING, 0).verdict == verdict, operation.name
