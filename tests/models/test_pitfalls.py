"""What goes wrong with tied weights in practice, each test named after the mistake.

What files do to a tie stands with the checkpoints, what optimizers do to it with the training, and
three-way tying with the translator.
"""

import copy
import math
import pickle

import numpy as np
import pytest

from tests.models.cases import CELLS, case
from tinytie import (
    RNNLM,
    check_gradients,
    check_model,
    resize_vocabulary,
    tie_weights,
    untie_weights,
)
from tinytie.gradcheck.numeric import difference
from tinytie.models.initial import uniform_params
from tinytie.ops.embedding import embedding_backward, embedding_forward, onehot

every_cell = pytest.mark.parametrize("cell", CELLS)


@pytest.mark.parametrize(
    "through",
    [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), lambda m: m.astype(np.float64)],
    ids=["deepcopy", "pickle", "cast"],
)
def test_a_copy_makes_two_matrices_of_one(through):
    model, x, y, state = case()
    other = through(model)
    other.params["E"][x[0, 0]] += 1  # one edit, in the only place there is
    model.params["E"][x[0, 0]] += 1
    assert other.loss(x, y, state)[0] == model.loss(x, y, state)[0]
    assert other.embeddings()[0] is other.embeddings()[1]


def test_parameters_are_counted_twice():
    model = RNNLM(10_000, 200, cell="lstm", n_layers=2, dtype=np.float32, rng=0)
    once = sum(array.size for array in model.params.values())
    assert once == 2_651_600
    assert len({id(array) for array in model.params.values()}) == len(model.params)


@every_cell
def test_one_path_overwrites_the_other(cell):
    model, x, y, state = case(cell=cell)
    result = model.loss_and_grads(x, y, state)
    assert np.unique(x).size < x.size  # tokens are repeated
    for lost in result.embedding_paths:
        wrong = result.grads | {"E": result.grads["E"] - lost}
        report = check_gradients(lambda _: model.loss(x, y, state)[0], model.params, wrong)
        assert [row.name for row in report.rows if row.verdict == "FAIL"] == ["E"]
    assert check_model(model, x, y, state).verdict == "PASS"


@every_cell
def test_tied_by_copying_values_they_drift(cell):
    model, x, y, state = case(cell=cell, H=4)
    twin = untie_weights(model)  # equal values, but two arrays
    for _ in range(10):
        for one in (model, twin):
            grads = one.loss_and_grads(x, y, state).grads
            for name, array in one.params.items():
                array -= 0.1 * grads[name]
    assert model.embeddings()[0] is model.embeddings()[1]
    assert np.abs(twin.params["E_in"] - twin.params["E_out"]).max() > 0.01


def test_a_unit_normal_embedding_blows_up_the_first_loss():
    V, D = 1000, 256
    x, y = np.random.default_rng(0).integers(V, size=(2, 4, 10))
    model = RNNLM(V, D, rng=0)
    assert math.isclose(model.loss(x, y)[0], math.log(V), rel_tol=0.05)
    model.params["E"] = np.random.default_rng(0).standard_normal((V, D))
    assert model.loss(x, y)[0] > 3 * math.log(V)


def test_every_token_matrix_starts_small_enough_for_the_scores():
    shapes = {"E": (50, 400), "W0": (8, 400)}
    params = uniform_params(shapes, np.random.default_rng(0), np.float64, lambda D: 1 / D)
    assert 0.9 / 400 < np.abs(params["E"]).max() <= 1 / 400 < np.abs(params["W0"]).max()


@every_cell
class TestScale:
    def test_the_scale_is_put_on_the_output_side(self, cell):
        model, x, _, state = case(cell=cell, tied=False, H=4, embed_scale=2.0)
        plain = copy.deepcopy(model)
        plain.embed_scale = 1.0
        plain.params["E_in"] = 2 * plain.params["E_in"]  # the same model, with the scale inside
        np.testing.assert_allclose(model.logits(x, state)[0], plain.logits(x, state)[0], rtol=1e-12)

    def test_the_gradient_factor_of_the_scale_is_forgotten(self, cell):
        model, x, y, state = case(cell=cell, tied=True, embed_scale=math.sqrt(4))
        dE_in, _ = model.loss_and_grads(x, y, state).embedding_paths
        twin, place = untie_weights(model), (int(x[0, 0]), 1)
        numeric = difference(lambda: twin.loss(x, y, state)[0], twin.params["E_in"], place, 1e-5)
        assert math.isclose(dE_in[place], numeric, rel_tol=1e-5)
        assert not math.isclose(dE_in[place] / 2, numeric, rel_tol=1e-5)


def test_a_width_mismatch_fails_obscurely():
    with pytest.raises(ValueError, match=r"d_embed is 4 but d_hidden is 6.*projection"):
        RNNLM(9, 4, 6, tied=True, projection=False)
    with pytest.raises(ValueError, match=r"\(9, 4\).*\(9, 6\).*projection=True"):
        tie_weights(RNNLM(9, 4, 6, tied=False))


@pytest.mark.parametrize("tied", [True, False])
def test_the_padding_row_is_frozen_on_one_side_only(tied):
    model = RNNLM(9, 4, tied=tied, padding_id=3, rng=0)
    for make in (lambda m: m, tie_weights, untie_weights, lambda m: resize_vocabulary(m, 12)):
        made = make(model)
        assert made.frozen.keys() == set(made.embedding_names)
        assert all(3 in made.frozen[name] for name in made.embedding_names)


def test_adding_by_index_loses_repeated_tokens():
    E = np.random.default_rng(0).standard_normal((5, 3))
    x, de = np.array([[1, 1, 2]]), np.ones((1, 3, 3))
    _, cache = embedding_forward(x, E)
    right, wrong = embedding_backward(de, cache), np.zeros_like(E)
    wrong[x] += de
    assert np.array_equal(right, np.tensordot(onehot(x, 5), de, axes=([0, 1], [0, 1])))
    assert right[1].tolist() == [2, 2, 2]
    assert wrong[1].tolist() == [1, 1, 1]


@pytest.mark.parametrize("size", [5, 14])
@pytest.mark.parametrize("tied", [True, False])
def test_a_resize_leaves_the_bias_or_the_head_behind(tied, size):
    model, x, _, state = case(tied=tied)
    resized = resize_vocabulary(model, size)
    assert resized.tied == tied
    assert {len(resized.params[name]) for name in (*resized.embedding_names, "c")} == {size}
    assert resized.logits(x % size, state)[0].shape == (3, 5, size)


def test_freezing_one_role_freezes_both_without_a_word():
    model = RNNLM(9, 4, tied=False, rng=0)
    model.frozen["E_in"] = True
    assert tie_weights(model).frozen == {"E": True}
    assert "frozen in the shared matrix, and so in both" in " ".join(tie_weights.__doc__.split())


@every_cell
def test_the_tie_flag_does_nothing(cell):
    """A word that is not in x moves its own scores only; one that is looked up moves them all."""
    model, x, _, state = case(cell=cell)
    before, _ = model.logits(x, state)
    looked_up, never = int(x[0, 0]), model.vocab_size - 1
    others = [i for i in range(model.vocab_size) if i not in (looked_up, never)]
    model.params["E"][never] += 0.5
    changed = model.logits(x, state)[0] != before
    assert changed[..., never].all()
    assert not changed[..., others].any()
    model.params["E"][looked_up] += 0.5
    changed = model.logits(x, state)[0] != before
    assert changed[0, 0, others].all()
