"""Models between tied and untied: every gradient checked, and what each is equal to at its edge."""

import numpy as np
import pytest

from tinytie import RNNLM, check_model
from tinytie.models.between import JointLM, MixtureLM
from tinytie.ops.mixture import mixture_forward
from tinytie.ops.softmax import cross_entropy_forward, softmax_loss_forward

KINDS = pytest.mark.parametrize("kind", [JointLM, MixtureLM])
X, Y = np.random.default_rng(0).integers(9, size=(2, 3, 5))


def moved(model):
    """Biases away from zero, which could hide a mistake."""
    rng = np.random.default_rng(1)
    for array in model.params.values():
        array += 0.3 * rng.standard_normal(array.shape)
    return model


@KINDS
@pytest.mark.parametrize("options", [{}, {"output_bias": False}, {"tied": False}], ids=str)
def test_every_gradient_of_the_model_passes(kind, options):
    report = check_model(moved(kind(9, 4, rng=0, **options)), X, Y)
    assert report.verdict == "PASS", str(report)


@KINDS
def test_the_first_loss_is_that_of_knowing_nothing(kind):
    assert kind(500, 16, rng=0).loss(X, Y)[0] == pytest.approx(np.log(500), rel=0.02)


@KINDS
def test_the_loss_is_the_same_with_and_without_gradients(kind):
    model = moved(kind(9, 4, padding_id=0, rng=0))
    assert model.loss_and_grads(X, Y).loss == model.loss(X, Y)[0]


@KINDS
def test_logits_and_steps_give_the_loss(kind):
    model = moved(kind(9, 4, rng=0))
    logits, _ = model.logits(X)
    assert cross_entropy_forward(logits, Y)[0] == pytest.approx(model.loss(X, Y)[0], rel=1e-12)
    stepped, _ = model.step(X[:, 0], model.start(len(X)))
    np.testing.assert_allclose(stepped, logits[:, 0])


def test_a_mixture_of_equal_states_is_one_softmax():
    rng = np.random.default_rng(2)
    h, E, c = rng.standard_normal((3, 5, 4)), rng.standard_normal((9, 4)), rng.standard_normal(9)
    alike = np.repeat(h[..., np.newaxis, :], 3, axis=-2)
    mixed, _ = mixture_forward(alike, rng.standard_normal((3, 5, 3)), E, c, Y)
    assert mixed == pytest.approx(softmax_loss_forward(h, E, c, Y)[0], rel=1e-12)


def test_a_mixture_is_not_bound_to_the_rank_of_one_softmax():
    """log p over 60 contexts: rank D + 1 for one softmax (the normalizer adds 1), else more."""
    rng = np.random.default_rng(3)
    E, h, prior = (3 * rng.standard_normal(shape) for shape in ((40, 4), (60, 3, 4), (60, 3)))
    rank = lambda a: np.linalg.matrix_rank(
        np.array([[-mixture_forward(h[i, None, :a], prior[i, None, :a], E, None, np.array([y]))[0]
                   for y in range(40)] for i in range(60)]), tol=1e-6)  # fmt: skip
    assert rank(1) == 5 and rank(3) > 20


def test_a_joint_model_counts_its_two_maps():
    sizes = [sum(a.size for a in kind(9, 4, rng=0).params.values()) for kind in (JointLM, RNNLM)]
    assert sizes[0] - sizes[1] == 2 * (4 * 4 + 4)
