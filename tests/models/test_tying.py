"""Tying as an act: what survives, what is copied, and that the given model stays."""

import copy
import pickle

import numpy as np
import pytest

from tests.models.cases import CELLS, case
from tinytie import (
    RNNLM,
    TransformerLM,
    check_model,
    resize_vocabulary,
    tie_weights,
    untie_weights,
)

SOURCES = {
    "input": lambda E_in, E_out: E_in,
    "output": lambda E_in, E_out: E_out,
    "mean": lambda E_in, E_out: (E_in + E_out) / 2,
}


@pytest.mark.parametrize(("d_hidden", "projection"), [(4, None), (4, True), (3, True), (6, True)])
@pytest.mark.parametrize("source", SOURCES)
def test_tying_keeps_the_chosen_values_and_all_the_rest(source, d_hidden, projection):
    model, *batch = case(H=d_hidden, tied=False, projection=projection, cell="gru", n_layers=2)
    tied = tie_weights(model, source)
    E_in, E_out = model.params["E_in"], model.params["E_out"]
    assert np.array_equal(tied.params["E"], SOURCES[source](E_in, E_out))
    assert tied.params.keys() == tied.shapes.keys()
    rest = model.params.keys() - {"E_in", "E_out"}
    assert all(np.array_equal(tied.params[name], model.params[name]) for name in rest)
    assert check_model(tied, *batch).verdict == "PASS"


@pytest.mark.parametrize("d_hidden", [4, 3, 6])
@pytest.mark.parametrize("cell", CELLS)
def test_untying_gives_two_equal_matrices_and_the_same_loss(cell, d_hidden):
    model, *batch = case(H=d_hidden, cell=cell)
    untied = untie_weights(model)
    assert np.array_equal(untied.params["E_in"], untied.params["E_out"])
    assert not np.shares_memory(untied.params["E_in"], untied.params["E_out"])
    assert untied.params.keys() == untied.shapes.keys()
    assert untied.loss(*batch)[0] == model.loss(*batch)[0]


@pytest.mark.parametrize("act", [tie_weights, untie_weights, lambda m: resize_vocabulary(m, 12)])
@pytest.mark.parametrize("tied", [True, False])
def test_the_given_model_stays_and_shares_no_memory(act, tied):
    model, *_ = case(H=4, tied=tied, padding_id=2)
    kept = copy.deepcopy(model)
    other = act(model)
    for mine in (*other.params.values(), *other.frozen.values()):
        theirs = (*model.params.values(), *model.frozen.values())
        assert not any(np.shares_memory(mine, array) for array in theirs)
    for array in other.params.values():
        array[...] = np.nan
    other.frozen.clear()
    assert model.tied == kept.tied
    assert model.frozen.keys() == kept.frozen.keys()
    assert all(np.array_equal(model.params[name], a) for name, a in kept.params.items())


def test_tying_what_is_tied_and_untying_what_is_not_are_copies():
    for tied, act in [(True, tie_weights), (False, untie_weights)]:
        model, *batch = case(tied=tied)
        assert act(model).loss(*batch)[0] == model.loss(*batch)[0]
        assert act(model).params.keys() == model.params.keys()


def test_untying_and_tying_again_is_where_we_started():
    model, *batch = case(cell="lstm", padding_id=2)
    again = tie_weights(untie_weights(model))
    assert again.config == model.config
    assert again.loss(*batch)[0] == model.loss(*batch)[0]
    assert {name: list(rows) for name, rows in again.frozen.items()} == {"E": [2]}


class TestFrozen:
    def test_freezing_one_role_freezes_both_once_tied(self):
        model = RNNLM(7, 4, tied=False, rng=0)
        model.frozen = {"E_in": np.array([1, 5]), "E_out": np.array([2, 5]), "U0": True}
        frozen = tie_weights(model).frozen
        assert list(frozen.pop("E")) == [1, 2, 5]
        assert frozen == {"U0": True}

    @pytest.mark.parametrize("one", ["E_in", "E_out"])
    def test_rows_frozen_in_one_role_alone_are_frozen_once_tied(self, one):
        model = RNNLM(7, 4, tied=False, rng=0)
        model.frozen = {one: np.array([1, 5])}
        assert list(tie_weights(model).frozen["E"]) == [1, 5]

    @pytest.mark.parametrize("one", ["E_in", "E_out"])
    def test_a_matrix_frozen_whole_freezes_the_tied_one_whole(self, one):
        model = RNNLM(7, 4, tied=False, padding_id=0, rng=0)
        model.frozen[one] = True
        assert tie_weights(model).frozen == {"E": True}

    def test_untying_freezes_both_matrices_each_with_its_own_rows(self):
        model = RNNLM(7, 4, rng=0)
        model.frozen = {"E": np.array([1, 5]), "c": True}
        frozen = untie_weights(model).frozen
        assert {name: np.ravel(rows).tolist() for name, rows in frozen.items()} == {
            "E_in": [1, 5], "E_out": [1, 5], "c": [True],
        }  # fmt: skip
        assert frozen["E_in"] is not frozen["E_out"]


class TestResize:
    @pytest.mark.parametrize("tied", [True, False])
    @pytest.mark.parametrize("cell", CELLS)
    def test_old_words_keep_their_rows_and_new_ones_are_drawn_as_at_construction(self, tied, cell):
        model, *_ = case(V=9, tied=tied, cell=cell, padding_id=2)
        larger = resize_vocabulary(model, 400, rng=5)
        fresh = RNNLM(**larger.config, rng=5)
        assert {name: a.shape for name, a in larger.params.items()} == larger.shapes
        for name in model.embedding_names:
            assert np.array_equal(larger.params[name][:9], model.params[name])
            assert np.array_equal(larger.params[name][9:], fresh.params[name][9:])
        assert np.array_equal(larger.params["c"][:9], model.params["c"])
        assert not larger.params["c"][9:].any()
        rest = model.params.keys() - {*model.embedding_names, "c"}
        assert all(np.array_equal(larger.params[name], model.params[name]) for name in rest)

    def test_the_scores_of_old_words_stay(self):
        model, x, _, state = case()
        before, after = model.logits(x, state)[0], resize_vocabulary(model, 12).logits(x, state)[0]
        np.testing.assert_allclose(after[..., :9], before, rtol=1e-12)

    def test_shrinking_drops_the_last_words(self):
        model, *_ = case(padding_id=2)
        model.frozen["c"] = np.array([1, 8])
        smaller = resize_vocabulary(model, 5)
        assert np.array_equal(smaller.params["E"], model.params["E"][:5])
        assert np.array_equal(smaller.params["c"], model.params["c"][:5])
        assert {name: list(rows) for name, rows in smaller.frozen.items()} == {"E": [2], "c": [1]}

    def test_what_was_frozen_stays_so_and_new_words_can_learn(self):
        model, *_ = case(padding_id=2)
        model.frozen |= {"c": True, "W0": True}
        frozen = resize_vocabulary(model, 12).frozen
        assert frozen.pop("W0") is True
        assert {name: list(rows) for name, rows in frozen.items()} == {
            "E": [2], "c": list(range(9)),
        }  # fmt: skip

    def test_the_same_seed_draws_the_same_rows(self):
        model, *_ = case()
        one, two, other = (resize_vocabulary(model, 12, rng=n).params["E"] for n in (3, 3, 4))
        assert np.array_equal(one, two)
        assert not np.array_equal(one, other)

    @pytest.mark.parametrize("size", [5, 9, 12])
    def test_a_resized_model_passes_the_check(self, size):
        model, x, y, state = case(n_layers=2)
        resized = resize_vocabulary(model, size, rng=0)
        assert check_model(resized, x % size, y % size, state).verdict == "PASS"


KEEPERS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "astype": lambda model: model.astype(np.float32),
    "resize": lambda model: resize_vocabulary(model, 12),
}


@pytest.mark.parametrize("kept", KEEPERS)
def test_the_tie_survives(kept):
    """One array before and after: an edit of E moves the lookup and the scores together."""
    model, *_ = case()
    other = KEEPERS[kept](model)
    assert other.tied
    E_in, E_out = other.embeddings()
    assert E_in is E_out is other.params["E"]
    assert [name for name in other.params if name.startswith("E")] == ["E"]


class TestTransformer:
    """The same acts on a model of another kind."""

    def model(self, **options):
        model = TransformerLM(9, 4, 2, 2, 8, rng=0, **options)
        rng = np.random.default_rng(0)
        for array in model.params.values():
            array += 0.3 * rng.standard_normal(array.shape)
        return model, *rng.integers(9, size=(2, 2, 5))

    def test_untying_and_tying_again_is_where_we_started(self):
        model, x, y = self.model()
        untied = untie_weights(model)
        assert untied.params.keys() == untied.shapes.keys()
        assert untied.loss(x, y)[0] == model.loss(x, y)[0]
        again = tie_weights(untied, "output")
        assert again.config == model.config
        assert again.loss(x, y)[0] == model.loss(x, y)[0]

    @pytest.mark.parametrize("tied", [True, False])
    def test_resizing_keeps_all_but_the_new_rows(self, tied):
        model, x, y = self.model(tied=tied, output_bias=True)
        larger = resize_vocabulary(model, 12, rng=0)
        assert {name: array.shape for name, array in larger.params.items()} == larger.shapes
        np.testing.assert_allclose(
            larger.logits(x)[0][..., :9], model.logits(x)[0], rtol=1e-9, atol=1e-12
        )
        assert larger.embeddings()[0] is larger.params[model.embedding_names[0]]
        assert larger.loss(x, y)[0] > model.loss(x, y)[0]  # more words to doubt between
