"""The augmented loss: its value, its limits, and wrong versions of it."""

import numpy as np
import pytest

from tinytie import check_operation
from tinytie.ops import augmented, softmax
from tinytie.ops.registry import AUGMENTED, OPERATIONS, Sizes, entry

SIZES = Sizes(B=2, T=3, V=7, D=4, H=5)


def drawn(rng, N=6, V=7, D=4, H=5):
    """h (N, D), E (V, D), c (V,), y (N,), L (V, H)."""
    h, E, L = (rng.standard_normal(shape) for shape in ((N, D), (V, D), (V, H)))
    return h, E, rng.standard_normal(V), rng.integers(V, size=N), L


def test_its_value_is_that_of_the_written_out_sum():
    h, E, c, y, L = drawn(np.random.default_rng(0))
    alpha, tau, beta = 1.3, 2.5, 0.4
    total = 0.0
    for n in range(len(y)):
        y_hat = np.exp(E @ h[n] + c) / np.exp(E @ h[n] + c).sum()
        y_tau = np.exp(E @ h[n] / tau) / np.exp(E @ h[n] / tau).sum()
        y_tilde = np.exp(L @ L[y[n]] / tau) / np.exp(L @ L[y[n]] / tau).sum()
        total += -beta * np.log(y_hat[y[n]]) + alpha * np.sum(y_tilde * np.log(y_tilde / y_tau))
    loss, _ = augmented.augmented_loss_forward(h, E, c, y, L, alpha, tau, beta)
    assert loss == pytest.approx(total / len(y), rel=1e-12)


def test_without_alpha_it_is_the_softmax_loss_to_rounding():
    h, E, c, y, L = drawn(np.random.default_rng(1))
    plain, plain_cache = softmax.softmax_loss_forward(h, E, c, y)
    loss, cache = augmented.augmented_loss_forward(h, E, c, y, L, alpha=0.0, tau=3.0)
    assert loss == pytest.approx(plain, rel=1e-14)
    both = augmented.augmented_loss_backward(1.0, cache)
    for ours, expected in zip(both, softmax.softmax_loss_backward(1.0, plain_cache), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-15)


def test_the_divergence_of_equal_scores_is_zero_and_so_is_its_gradient():
    s = np.random.default_rng(2).standard_normal((3, 5))
    loss, cache = augmented.divergence_forward(s, s.copy(), tau=2.0)
    assert loss == 0.0
    assert not augmented.divergence_backward(1.0, cache).any()


def test_scores_of_ten_thousand_stay_finite():
    s = np.array([[1e4, -1e4, 0.0]])
    loss, cache = augmented.divergence_forward(s, -s)
    assert loss == pytest.approx(2e4)
    assert np.isfinite(cache.ds).all()


def test_for_large_tau_the_gradient_is_the_centered_difference_of_the_scores():
    rng = np.random.default_rng(3)
    h, E, _, y, L = drawn(rng, N=1)
    gamma, tau, V = 0.65, 1e4, len(E)
    loss_at = {"alpha": gamma * tau, "tau": tau, "beta": 0.0}
    _, cache = augmented.augmented_loss_forward(h, E, None, y, L, **loss_at)
    difference = E @ h[0] - L @ L[y[0]]
    expected = gamma * (difference - difference.mean()) / (tau * V)
    np.testing.assert_allclose(cache.ds[0], expected, rtol=1e-2)


def test_for_large_tau_the_bare_divergence_falls_with_the_square_of_tau():
    s, s_tilde = np.random.default_rng(4).standard_normal((2, 1, 9))
    tau = 1e4
    _, cache = augmented.divergence_forward(s, s_tilde, tau)
    difference = s - s_tilde
    expected = (difference - difference.mean()) / (tau**2 * 9)
    np.testing.assert_allclose(cache.ds, expected, rtol=1e-2)


def test_chunks_change_neither_the_loss_nor_the_gradients():
    h, E, c, y, L = drawn(np.random.default_rng(5), N=7)
    whole, kept = augmented.augmented_loss_forward(h, E, c, y, L, 1.3, 2.0)
    loss, cache = augmented.augmented_loss_forward(h, E, c, y, L, 1.3, 2.0, chunk=3)
    assert cache.ds is None
    assert loss == pytest.approx(whole, rel=1e-14)
    pairs = zip(
        augmented.augmented_loss_backward(2.0, cache),
        augmented.augmented_loss_backward(2.0, kept),
        strict=True,
    )
    for ours, expected in pairs:
        np.testing.assert_allclose(ours, expected, rtol=1e-10, atol=1e-14)


def test_float32_stays_float32():
    h, E, c, y, L = drawn(np.random.default_rng(6))
    h, E, c, L = (array.astype(np.float32) for array in (h, E, c, L))
    for chunk in (None, 2):
        _, cache = augmented.augmented_loss_forward(h, E, c, y, L, 1.3, 2.0, chunk=chunk)
        gradients = augmented.augmented_loss_backward(1.0, cache)
        assert [gradient.dtype for gradient in gradients] == [np.float32] * 3


def softmax_twice(s, s_tilde):
    """Wrong: ŷ is put through the softmax again."""
    twice = softmax.softmax(softmax.softmax(s))
    return divergences(s, s_tilde)[0], twice - softmax.softmax(s_tilde)


def soft_targets_twice(s, s_tilde):
    """Wrong: the gradient compares with softmax(ỹ)."""
    twice = softmax.softmax(softmax.softmax(s_tilde))
    return divergences(s, s_tilde)[0], softmax.softmax(s) - twice


def tau_forgotten(s, s_tilde):
    """Wrong: the scores' gradient lacks 1/τ (here τ = 1.7)."""
    kl, ds = divergences(s, s_tilde)
    return kl, 1.7 * ds


divergences = augmented.divergences
LOSSES = [op for op in OPERATIONS if op.name.startswith(("divergence", "augmented"))]


@pytest.mark.parametrize("wrong", [softmax_twice, soft_targets_twice, tau_forgotten])
@pytest.mark.parametrize("operation", LOSSES, ids=lambda op: op.name)
def test_a_planted_bug_is_rejected(operation, wrong, monkeypatch):
    assert check_operation(operation, SIZES, 0).verdict == "PASS"
    monkeypatch.setattr(augmented, "divergences", wrong)
    assert check_operation(operation, SIZES, 0).verdict == "FAIL"


def test_the_bias_taken_into_the_divergence_is_rejected():
    def biased_backward(dloss, cache):
        dh, dE, _ = augmented.augmented_loss_backward(dloss, cache)
        return dh, dE, dloss * cache.ds.sum(axis=0)

    arguments = next(op for op in OPERATIONS if op.name == "augmented loss").arguments
    report = check_operation(entry("wrong", AUGMENTED[0], biased_backward, **arguments), SIZES, 0)
    assert [row.name for row in report.rows if row.verdict == "FAIL"] == ["c"]
