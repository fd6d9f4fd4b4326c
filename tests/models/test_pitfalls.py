"""What goes wrong with tied weights in practice, each test named after the mistake.

Each mistake has one test. What a copy, a cast or a pickle does to the tie, and the parameters
counted twice, stand with the bodies; what a resize leaves behind and what is frozen stand with the
tying; a first loss that is not ln V stands with the contract; what files do stands with the
checkpoints, what optimizers do with the training, three-way tying with the translator.
"""

import copy

import numpy as np
import pytest

from tests.models.cases import case, close, every_example, made
from tinytie import RNNLM, check_gradients, tie_weights, untie_weights
from tinytie.ops.embedding import embedding_backward, embedding_forward, onehot


@every_example
def test_one_path_overwrites_the_other(name):
    model, x, y, state = made(name)
    result = model.loss_and_grads(x, y, state)
    assert np.unique(x).size < x.size  # tokens are repeated
    for lost in result.embedding_paths:
        wrong = {"E": result.grads["E"] - lost}
        loss = lambda params: model.loss(x, y, state)[0]
        report = check_gradients(loss, {"E": model.params["E"]}, wrong)
        assert [row.name for row in report.rows if row.verdict == "FAIL"] == ["E"]


@every_example
def test_tied_by_copying_values_they_drift(name):
    model, *batch = made(name)
    twin = untie_weights(model)  # equal values, but two arrays
    for _ in range(10):
        for one in (model, twin):
            grads = one.loss_and_grads(*batch).grads
            for key, array in one.params.items():
                array -= 0.1 * grads[key]
    assert model.embeddings()[0] is model.embeddings()[1]
    assert np.abs(twin.params["E_in"] - twin.params["E_out"]).max() > 0.01


def test_a_unit_normal_embedding_blows_up_the_first_loss():
    V, D = 1000, 256
    x, y = np.random.default_rng(0).integers(V, size=(2, 4, 10))
    model = RNNLM(V, D, rng=0)
    model.params["E"] = np.random.default_rng(0).standard_normal((V, D))
    assert model.loss(x, y)[0] > 3 * np.log(V)


@every_example
def test_the_scale_is_put_on_the_output_side_or_its_factor_forgotten(name):
    model, x, y, _ = made(name, tied=False, embed_scale=2.0)
    plain = copy.deepcopy(model)
    plain.embed_scale = 1.0
    plain.params["E_in"] = 2 * plain.params["E_in"]  # the same model, with the scale inside
    close(model.logits(x)[0], plain.logits(x)[0])
    grads, without = (one.loss_and_grads(x, y).grads for one in (model, plain))
    close(grads["E_in"], 2 * without["E_in"])
    close(grads["E_out"], without["E_out"])


def test_a_width_mismatch_fails_obscurely():
    with pytest.raises(ValueError, match=r"d_embed is 4 but d_hidden is 6.*projection"):
        RNNLM(9, 4, 6, tied=True, projection=False)
    with pytest.raises(ValueError, match=r"\(9, 4\).*\(9, 6\).*projection=True"):
        tie_weights(RNNLM(9, 4, 6, tied=False))


def test_adding_by_index_loses_repeated_tokens():
    E = np.random.default_rng(0).standard_normal((5, 3))
    x, de = np.array([[1, 1, 2]]), np.ones((1, 3, 3))
    _, cache = embedding_forward(x, E)
    right, wrong = embedding_backward(de, cache), np.zeros_like(E)
    wrong[x] += de
    assert np.array_equal(right, np.tensordot(onehot(x, 5), de, axes=([0, 1], [0, 1])))
    assert right[1].tolist() == [2, 2, 2]
    assert wrong[1].tolist() == [1, 1, 1]


@every_example
def test_the_tie_flag_does_nothing(name):
    """A word that is not in x moves its own scores only; one that is looked up moves them all."""
    model, x, _, state = made(name)
    before, _ = model.logits(x, state)
    looked_up, never = int(x[0, 0]), model.vocab_size - 1
    others = [i for i in range(model.vocab_size) if i not in (looked_up, never)]
    model.params["E"][never] += np.arange(1.0, 5)
    changed = model.logits(x, state)[0] != before
    assert changed[..., never].all()
    assert not changed[..., others].any()
    model.params["E"][looked_up] += np.arange(1.0, 5)
    changed = model.logits(x, state)[0] != before
    assert changed[0, 0, others].all()


def test_the_most_aligned_embedding_need_not_win():
    """Scores are dot products: a longer row beats one that points exactly along o."""
    model = case(d_hidden=4).model
    assert model.params["c"].any()
    for array in model.params.values():
        array[...] = 0
    model.params["E"][:3, :2] = [[1, 0], [3, 3], [0, 1]]
    model.params["b0"][0] = 1  # h = (tanh 1, 0, 0, 0), along row 0
    scores = model.logits([[8]])[0][0, 0]
    assert scores.argmax() == 1
    assert scores[0] == np.tanh(1)
