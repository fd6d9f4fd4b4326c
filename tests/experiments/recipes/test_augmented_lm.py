"""The model under the augmented loss: a second view of the same parameters."""

import numpy as np
import pytest

import tinytie
from tinytie.experiments.recipes.augmented_lm import AugmentedLM

x = np.array([[1, 1, 4], [2, 5, 1]])
y = np.array([[1, 4, 0], [5, 1, 3]])


def lstm(tied=True, **options):
    return tinytie.RNNLM(7, 5, cell="lstm", tied=tied, n_layers=2, rng=3, **options)


def larger(model):
    """Weights of the size of a trained model's, so that no gradient hides in rounding."""
    rng = np.random.default_rng(0)
    for array in model.params.values():
        array[...] = rng.standard_normal(array.shape)
    return model


@pytest.mark.parametrize("tied", [False, True], ids=["untied", "tied"])
def test_every_gradient_passes_with_the_soft_targets_held(tied):
    model = larger(lstm(tied))
    held = model.embeddings()[0].copy()
    report = tinytie.check_model(AugmentedLM(model, alpha=1.3, tau=1.7, L=held), x, y)
    assert report.verdict == "PASS", str(report)


def test_with_a_tied_embedding_the_total_derivative_is_another_one():
    model = larger(lstm())
    report = tinytie.check_model(AugmentedLM(model, alpha=1.3, tau=1.7), x, y)
    assert "E" in [row.name for row in report.rows if row.verdict == "FAIL"]


def test_held_soft_targets_equal_those_of_the_input_embedding():
    model = larger(lstm())
    free = AugmentedLM(model, alpha=1.3, tau=1.7).loss_and_grads(x, y)
    held = AugmentedLM(model, alpha=1.3, tau=1.7, L=model.params["E"].copy()).loss_and_grads(x, y)
    assert free.loss == held.loss
    assert all((free.grads[name] == held.grads[name]).all() for name in model.params)


def test_a_step_of_one_view_is_a_step_of_both():
    model = lstm()
    view = AugmentedLM(model, alpha=1.3, tau=1.7)
    before = model.loss(x, y)[0]
    view.params["E"] += 0.1
    assert model.loss(x, y)[0] != before
    assert view.params["E"] is model.params["E"]


def test_the_model_itself_has_no_augmented_term():
    model = larger(lstm())
    scores, _ = model.logits(x)
    log_y_hat = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    mean = -np.take_along_axis(log_y_hat, y[..., None], -1).mean()
    assert model.loss(x, y)[0] == pytest.approx(mean)
    assert AugmentedLM(model, alpha=1.3, tau=1.7).loss(x, y)[0] > model.loss(x, y)[0]


def test_dropout_masks_are_drawn_and_replayed_as_in_the_model():
    model = lstm(dropout=tinytie.Dropout(0.3, 0.3, 0.3, 0.3, variational=True))
    view = AugmentedLM(model, alpha=0.0, tau=1.0)
    drawn = view.loss_and_grads(x, y, rng=5)
    assert drawn.loss == pytest.approx(model.loss_and_grads(x, y, rng=5).loss, rel=1e-12)
    assert view.loss(x, y, masks=drawn.masks)[0] == pytest.approx(drawn.loss, rel=1e-12)
