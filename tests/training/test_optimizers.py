"""Every registered optimizer is one, the built-in ones step as computed by hand, and no planted bug
does either."""

import copy

import numpy as np
import pytest

from tests.training.optimizer_bugs import WRONG_ADAM, WRONG_OPTIMIZERS, WRONG_SGD, Momentum
from tinytie.training import optimizers
from tinytie.training.optimizers import OPTIMIZERS, SGD, Adam

RATE, DECAY = 0.1, 0.3
FROZEN = {"E": np.array([1]), "p": True}


def problem():
    """Parameters and three gradients in float32, one row and one array of them frozen."""
    rng = np.random.default_rng(0)
    shapes = {"E": (4, 3), "U0": (3, 3), "p": (3,)}
    draw = lambda: {n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}
    return draw(), [draw() for _ in range(3)]


def sgd_by_hand(w, gradients):
    for g in gradients:
        w -= RATE * (g + DECAY * w)
    return w


def adam_by_hand(w, gradients):
    m = v = 0.0
    for t, g in enumerate(gradients, start=1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        step = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        w = w - RATE * (step + DECAY * w)
    return w


def assert_steps(optimizer, by_hand):
    """Three steps: every entry as computed by hand, frozen ones as before, the same arrays."""
    params, gradients = problem()
    before, held = copy.deepcopy(params), dict(params)
    for grads in gradients:
        kept = copy.deepcopy(grads)
        optimizer.step(params, grads, FROZEN)
        assert all((grads[name] == kept[name]).all() for name in grads)
    for name, w in params.items():
        moving = np.ones(w.shape, bool)
        if name in FROZEN:
            moving[FROZEN[name] if name == "E" else ...] = False
        expected = by_hand(before[name].astype(float), [g[name].astype(float) for g in gradients])
        assert w is held[name], "the array was replaced"
        assert w.dtype == np.float32, "promoted"
        assert (w[~moving] == before[name][~moving]).all(), "a frozen entry moved"
        np.testing.assert_allclose(w[moving], expected[moving], rtol=2e-5, atol=1e-6)


def test_sgd_steps_as_computed_by_hand():
    assert_steps(SGD(RATE, DECAY), sgd_by_hand)


def test_adam_steps_as_computed_by_hand():
    assert_steps(Adam(RATE, weight_decay=DECAY), adam_by_hand)


@pytest.mark.parametrize("wrong", WRONG_SGD)
def test_a_wrong_sgd_is_caught(wrong):
    with pytest.raises(AssertionError):
        assert_steps(wrong(RATE, DECAY), sgd_by_hand)


@pytest.mark.parametrize("wrong", WRONG_ADAM)
def test_a_wrong_adam_is_caught(wrong):
    with pytest.raises(AssertionError):
        assert_steps(wrong(RATE, weight_decay=DECAY), adam_by_hand)


def test_the_first_step_of_adam_is_the_rate_whatever_the_gradients_size():
    for size in (1e-4, 1.0, 1e4):
        params = {"w": np.zeros(3)}
        Adam(0.1).step(params, {"w": np.array([size, -size, 0])}, {})
        np.testing.assert_allclose(params["w"], [-0.1, 0.1, 0], rtol=1e-3)


def moved(optimizer, params, gradients, frozen=FROZEN):
    """The same parameters, in place, after a step along each of the gradients."""
    for grads in gradients:
        optimizer.step(params, grads, frozen)
    return params


def same(one, other):
    return all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def assert_is_an_optimizer(make):
    """What holds of every optimizer, whatever its equation."""
    params, gradients = problem()
    before, arrays, kept = copy.deepcopy(params), dict(params), copy.deepcopy(gradients)
    whole = moved(make(RATE), params, gradients)
    assert all(whole[name] is arrays[name] for name in arrays), "an array was replaced"
    assert all(w.dtype == np.float32 for w in whole.values()), "promoted"
    assert all(map(same, gradients, kept)), "a gradient was changed"
    assert (whole["E"][1] == before["E"][1]).all(), "a frozen row moved"
    assert (whole["p"] == before["p"]).all(), "a frozen array moved"
    assert all((whole[name] != before[name]).any() for name in ("E", "U0")), "nothing moved"
    for name, w in before.items():  # each parameter moves as if it were alone
        alone = moved(make(RATE), {name: w.copy()}, [{name: g[name]} for g in gradients])
        assert same(alone, whole), f"{name} moved otherwise beside others"
    first, second = make(RATE), make(RATE)
    half = moved(first, copy.deepcopy(before), gradients[:1])
    state, copied = first.state(), copy.deepcopy(half)
    moved(first, half, gradients[1:])  # which must not change the state
    second.restore(state)
    assert same(moved(second, copied, gradients[1:]), whole), "what was restored is another run"
    w = {"w": np.ones(3)}
    moved(make(0.01), w, [{"w": np.array([1.0, -1.0, 0.0])}], {})
    assert w["w"][0] < 1 < w["w"][1] and w["w"][2] == 1, "it does not go downhill"


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_that_is_registered_is_one(name):
    assert_is_an_optimizer(OPTIMIZERS[name])


def test_an_optimizer_from_outside_is_found_and_held_to_the_same(monkeypatch):
    monkeypatch.setitem(OPTIMIZERS, "momentum", Momentum)
    assert_is_an_optimizer(OPTIMIZERS["momentum"])


@pytest.mark.parametrize("wrong", WRONG_OPTIMIZERS)
def test_a_wrong_optimizer_is_caught(wrong):
    with pytest.raises(AssertionError):
        assert_is_an_optimizer(wrong)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("size", [1, 4, 7])
def test_a_parameter_that_moves_in_pieces_moves_as_a_whole(name, size, monkeypatch):
    params, gradients = problem()
    whole = moved(OPTIMIZERS[name](RATE), copy.deepcopy(params), gradients)
    monkeypatch.setattr(optimizers, "PIECE", size)
    assert same(moved(OPTIMIZERS[name](RATE), params, gradients), whole)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("frozen", [{}, {"w": True}])
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0)])
def test_a_single_number_moves_and_an_array_without_numbers_is_left_alone(name, frozen, shape):
    w = np.ones(shape)
    OPTIMIZERS[name](RATE).step({"w": w}, {"w": np.ones(shape)}, frozen)
    np.testing.assert_allclose(w, 1.0 if frozen else 1 - RATE)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_error_leaves_frozen_rows_alone_and_a_longer_gradient_is_one(name, monkeypatch):
    monkeypatch.setattr(optimizers, "PIECE", 2)
    w = np.array([1.0, -np.inf, 1.0, 1.0])
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        OPTIMIZERS[name](RATE).step({"w": w}, {"w": w.copy()}, {"w": [1]})
    assert w[1] == -np.inf
    with pytest.raises(ValueError, match=r"shape \(4,\) cannot move by .* \(6,\)"):
        OPTIMIZERS[name](RATE).step({"w": w}, {"w": np.ones(6)}, {})
