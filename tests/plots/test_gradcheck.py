"""The figures of the gradient check: what they are drawn from, and what they say."""

import numpy as np

from tests.gradcheck.cases import telling_case
from tests.planted import MODEL_BUGS, planted
from tinytie.gradcheck.diagnosis.pictures import embedding_residual, errors_by_step
from tinytie.plots.gradcheck import error_against_step, residual_heat_map


def test_the_residual_of_a_right_model_is_rounding():
    found = embedding_residual(*telling_case())
    assert np.abs(found.residual).max() < 1e-7
    figure = residual_heat_map(found)
    assert "Nothing is left over" in figure.get_suptitle()
    assert figure.axes[0].get_ylabel() and figure.axes[0].get_xlabel()


def test_a_lost_path_is_the_residual_and_the_title_says_so():
    with planted(MODEL_BUGS[0]):
        found = embedding_residual(*telling_case())
    np.testing.assert_allclose(found.residual, found.input, atol=1e-7)
    assert residual_heat_map(found).get_suptitle().endswith("the whole input path")


def test_central_differences_are_best_near_1e_5_and_forward_ones_are_worse():
    model, x, y, state = telling_case(steps=3)
    grads = model.loss_and_grads(x, y, state).grads
    steps = np.array([1e-2, 1e-5, 1e-10])
    loss = lambda: model.loss(x, y, state)[0]
    before = model.params["E"].copy()
    errors = errors_by_step(loss, model.params["E"], grads["E"], steps)
    assert (model.params["E"] == before).all()
    assert errors["central"].argmin() == 1
    assert errors["central"][1] < errors["forward"][1]
    figure = error_against_step(errors, steps)
    assert len(figure.axes[0].lines) == 4
