"""One step of each optimizer equals the hand computation, and every planted bug does not."""

import copy

import numpy as np
import pytest

from tests.training.optimizer_bugs import WRONG_ADAM, WRONG_SGD
from tinytie.training import optimizers
from tinytie.training.optimizers import SGD, Adam

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


@pytest.mark.parametrize("size", [1, 4, 7])
def test_a_parameter_that_moves_in_pieces_moves_as_a_whole(size, monkeypatch):
    monkeypatch.setattr(optimizers, "PIECE", size)
    assert_steps(SGD(RATE, DECAY), sgd_by_hand)
    assert_steps(Adam(RATE, weight_decay=DECAY), adam_by_hand)


@pytest.mark.parametrize("make", [SGD, Adam])
@pytest.mark.parametrize("frozen", [{}, {"w": True}])
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0)])
def test_a_single_number_moves_and_an_array_without_numbers_is_left_alone(make, frozen, shape):
    w = np.ones(shape)
    make(RATE).step({"w": w}, {"w": np.ones(shape)}, frozen)
    np.testing.assert_allclose(w, 1.0 if frozen else 1 - RATE)


@pytest.mark.parametrize("make", [SGD, Adam])
def test_an_error_leaves_frozen_rows_alone_and_a_longer_gradient_is_one(make, monkeypatch):
    monkeypatch.setattr(optimizers, "PIECE", 2)
    w = np.array([1.0, -np.inf, 1.0, 1.0])
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        make(RATE).step({"w": w}, {"w": w.copy()}, {"w": [1]})
    assert w[1] == -np.inf
    with pytest.raises(ValueError, match=r"shape \(4,\) cannot move by .* \(6,\)"):
        make(RATE).step({"w": w}, {"w": np.ones(6)}, {})


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


@pytest.mark.parametrize("make", [lambda: SGD(RATE), lambda: Adam(RATE)], ids=["sgd", "adam"])
def test_a_restored_optimizer_goes_on_bit_for_bit(make):
    params, gradients = problem()
    first = make()
    first.step(params, gradients[0], {})
    state, copied = first.state(), copy.deepcopy(params)
    second = make()
    second.restore(state)
    for grads in gradients[1:]:
        first.step(params, grads, {})
        second.step(copied, grads, {})
    for name in params:
        np.testing.assert_array_equal(params[name], copied[name])


def test_a_state_is_not_changed_by_training_on():
    params, gradients = problem()
    optimizer = Adam(RATE)
    optimizer.step(params, gradients[0], {})
    state = optimizer.state()
    kept = copy.deepcopy(state)
    optimizer.step(params, gradients[1], {})
    Adam(RATE).restore(state)
    assert state["t"] == kept["t"] == 1
    np.testing.assert_array_equal(state["m"]["E"], kept["m"]["E"])
