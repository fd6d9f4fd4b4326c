"""The three experiments: one array passed twice, and each of two equal copies alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.cases import CELLS, EVERYWHERE, case, cases
from tinytie import check_model, untie_weights
from tinytie.gradcheck.numeric import numeric_gradient


def slope(model, matrix, x, y, state):
    """What the loss itself says about every entry of one of the model's matrices."""
    return numeric_gradient(lambda: model.loss(x, y, state)[0], model.params[matrix])


def close(analytic, numeric):
    return np.abs(analytic - numeric).max() <= 1e-6 * np.abs(numeric).max() + 1e-9


@pytest.mark.parametrize("d_hidden", [4, 5])
@pytest.mark.parametrize("cell", CELLS)
class TestThreeExperiments:
    def test_bumping_one_array_passed_twice_gives_the_sum_of_both_paths(self, cell, d_hidden):
        model, *batch = case(cell=cell, H=d_hidden, n_layers=2)
        dE_in, dE_out = model.loss_and_grads(*batch).embedding_paths
        numeric = slope(model, "E", *batch)
        assert close(dE_in + dE_out, numeric)
        assert not close(dE_in, numeric)
        assert not close(dE_out, numeric)

    def test_bumping_the_first_of_two_equal_copies_gives_the_input_path(self, cell, d_hidden):
        model, *batch = case(cell=cell, H=d_hidden, n_layers=2)
        dE_in, _ = model.loss_and_grads(*batch).embedding_paths
        assert close(dE_in, slope(untie_weights(model), "E_in", *batch))

    def test_bumping_the_second_of_two_equal_copies_gives_the_output_path(self, cell, d_hidden):
        model, *batch = case(cell=cell, H=d_hidden, n_layers=2)
        _, dE_out = model.loss_and_grads(*batch).embedding_paths
        assert close(dE_out, slope(untie_weights(model), "E_out", *batch))


@settings(max_examples=8)  # each bumps every entry of every array
@given(cases(activation="tanh"))
def test_every_parameter_of_every_kind_of_model_passes_the_check(drawn):
    report = check_model(*drawn)
    assert report.verdict == "PASS", str(report)


@pytest.mark.parametrize("variational", [False, True])
@pytest.mark.parametrize("cell", CELLS)
def test_every_parameter_passes_under_replayed_masks(cell, variational):
    drawn = case(cell=cell, n_layers=2, dropout=EVERYWHERE._replace(variational=variational))
    report = check_model(*drawn)
    assert report.verdict == "PASS", str(report)


def test_padding_leaves_every_gradient_the_derivative_of_the_loss():
    model, x, y, state = case(padding_id=2, cell="gru")
    y[0, 1:] = x[0, 2:] = 2
    report = check_model(model, x, y, state)
    assert report.verdict == "PASS", str(report)


@given(cases(tied=True))
def test_the_tied_gradient_is_exactly_the_sum_of_its_paths(drawn):
    model, *batch = drawn
    result = model.loss_and_grads(*batch)
    assert np.array_equal(result.grads["E"], sum(result.embedding_paths))


@given(cases(tied=False))
def test_untied_paths_are_the_gradients_of_the_two_matrices(drawn):
    model, *batch = drawn
    result = model.loss_and_grads(*batch)
    assert np.array_equal(result.grads["E_in"], result.embedding_paths.input)
    assert np.array_equal(result.grads["E_out"], result.embedding_paths.output)


@given(cases())
def test_leaving_out_the_paths_changes_no_bit(drawn):
    model, *batch = drawn
    with_paths, without = (model.loss_and_grads(*batch, paths=paths) for paths in (True, False))
    assert without.embedding_paths is None
    assert with_paths.loss == without.loss
    assert all(np.array_equal(g, without.grads[name]) for name, g in with_paths.grads.items())


@given(cases(tied=True, projection=True), st.integers(1, 10))
def test_scores_in_chunks_give_the_same_gradients(drawn, rows):
    model, *batch = drawn
    whole = model.loss_and_grads(*batch)
    model.max_score_bytes = rows * model.vocab_size * 8
    chunked = model.loss_and_grads(*batch)
    assert np.isclose(whole.loss, chunked.loss, rtol=1e-13)
    for name, gradient in whole.grads.items():
        np.testing.assert_allclose(chunked.grads[name], gradient, rtol=1e-9, atol=1e-13)


@given(cases(tied=True))
def test_a_word_that_never_occurs_has_an_output_path_and_no_input_path(drawn):
    model, *batch = drawn
    dE_in, dE_out = model.loss_and_grads(*batch).embedding_paths
    assert not dE_in[-1].any()  # the last word is never looked up
    assert dE_out[-1].any()
