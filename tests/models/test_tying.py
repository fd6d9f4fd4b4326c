"""Tying as an act, on every body: what survives, what is copied, and that the given model stays."""

import copy

import numpy as np
import pytest

from tests.models.cases import EXAMPLES, case, close, every_example, every_tie, made, same
from tinytie import RNNLM, check_model, resize_vocabulary, tie_weights, untie_weights

SOURCES = {
    "input": lambda E_in, E_out: E_in,
    "output": lambda E_in, E_out: E_out,
    "mean": lambda E_in, E_out: (E_in + E_out) / 2,
}
TIEABLE = [
    name for name, (make, options) in EXAMPLES.items()
    if len({make.sketch(9, tied=False, **options).shapes[E] for E in ("E_in", "E_out")}) == 1
]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", TIEABLE)
def test_tying_keeps_the_chosen_values_and_all_the_rest(source, name):
    model, *batch = made(name, tied=False)
    tied = tie_weights(model, source)
    E_in, E_out = model.params["E_in"], model.params["E_out"]
    assert np.array_equal(tied.params["E"], SOURCES[source](E_in, E_out))
    assert {key: array.shape for key, array in tied.params.items()} == tied.shapes
    rest = model.params.keys() - {"E_in", "E_out"}
    assert all(np.array_equal(tied.params[key], model.params[key]) for key in rest)
    again = untie_weights(tied)
    assert again.config == model.config
    assert again.params.keys() == model.params.keys()
    assert again.loss(*batch)[0] == tied.loss(*batch)[0]


@every_tie
@pytest.mark.parametrize("act", [tie_weights, untie_weights, lambda m: resize_vocabulary(m, 12)])
@pytest.mark.parametrize("name", TIEABLE)
def test_the_given_model_stays_and_shares_no_memory(name, act, tied):
    model = made(name, tied).model
    model.frozen = dict.fromkeys(model.embedding_names, np.array([2]))
    kept, other = copy.deepcopy(model), act(model)
    if other.tied == tied and act in (tie_weights, untie_weights):  # nothing to do: a copy
        assert same(tuple(other.params.values()), tuple(model.params.values()))
    for mine in (*other.params.values(), *other.frozen.values()):
        theirs = (*model.params.values(), *model.frozen.values())
        assert not any(np.shares_memory(mine, array) for array in theirs)
        mine[...] = 0
    other.frozen.clear()
    assert model.config == kept.config
    assert {name: list(rows) for name, rows in model.frozen.items()} == {
        name: [2] for name in model.embedding_names
    }
    close(model.params, kept.params, rtol=0, atol=0)


class TestFrozen:
    @pytest.mark.parametrize(
        ("frozen", "tied"),
        [
            ({"E_in": [1, 5], "E_out": [2, 5]}, [1, 2, 5]),
            ({"E_in": [1, 5]}, [1, 5]),
            ({"E_out": [1, 5]}, [1, 5]),
            ({"E_in": True, "E_out": [0]}, True),
            ({"E_in": [0], "E_out": True}, True),
            ({"E_in": True}, True),
        ],
    )
    def test_freezing_one_role_freezes_both_once_tied(self, frozen, tied):
        model = RNNLM(7, 4, tied=False, rng=0)
        model.frozen = {"U0": True} | {
            name: rows if rows is True else np.array(rows) for name, rows in frozen.items()
        }
        found = tie_weights(model).frozen
        assert found.keys() == {"U0", "E"}
        assert found["U0"] is True
        assert np.array_equal(found["E"], tied)
        assert "frozen in the shared matrix, and so in both" in " ".join(
            tie_weights.__doc__.split()
        )

    def test_untying_freezes_both_matrices_each_with_its_own_rows(self):
        model = RNNLM(7, 4, rng=0)
        model.frozen = {"E": np.array([1, 5]), "c": True}
        frozen = untie_weights(model).frozen
        assert {name: np.ravel(rows).tolist() for name, rows in frozen.items()} == {
            "E_in": [1, 5], "E_out": [1, 5], "c": [True],
        }  # fmt: skip
        assert frozen["E_in"] is not frozen["E_out"]

    @every_tie
    @pytest.mark.parametrize("name", ["rnn", "feedforward"])
    def test_the_padding_row_is_zero_and_frozen_in_every_role(self, name, tied):
        make, options = EXAMPLES[name]
        model = make(9, tied=tied, padding_id=3, rng=0, **options)
        acts = tie_weights, untie_weights, lambda m: resize_vocabulary(m, 12), copy.deepcopy
        for act in acts:
            other = act(model)
            assert {key: list(rows) for key, rows in other.frozen.items()} == {
                key: [3] for key in other.embedding_names
            }
            assert not any(other.params[key][3].any() for key in other.embedding_names)
        assert make(9, tied=tied, rng=0, **options).frozen == {}


class TestResize:
    @every_tie
    @every_example
    def test_old_words_keep_rows_and_scores_and_new_ones_are_drawn_as_at_construction(
        self, name, tied
    ):
        model, x, _, state = made(name, tied)
        larger, again, other = (resize_vocabulary(model, 400, rng=seed) for seed in (5, 5, 6))
        assert {key: array.shape for key, array in larger.params.items()} == larger.shapes
        assert (larger.vocab_size, larger.tied) == (400, tied)
        close(larger.logits(x, state)[0][..., :9], model.logits(x, state)[0])
        fresh = type(model)(**larger.config, rng=5).params
        for key, array in larger.params.items():
            words = key in (*model.embedding_names, "c")
            old = slice(9) if words else slice(None)
            assert np.array_equal(array[old], model.params[key])
            assert not words or np.array_equal(array[9:], fresh[key][9:])
        assert same(tuple(again.params.values()), tuple(larger.params.values()))
        assert not same(tuple(other.params.values()), tuple(larger.params.values()))

    @every_tie
    def test_shrinking_drops_the_last_words(self, tied):
        model, x, *_ = case(padding_id=2, tied=tied)
        model.frozen["c"] = np.array([1, 8])
        smaller = resize_vocabulary(model, 5)
        for name in (*model.embedding_names, "c"):
            assert np.array_equal(smaller.params[name], model.params[name][:5])
        rows = {name: list(rows) for name, rows in smaller.frozen.items()}
        assert rows == {name: [2] for name in model.embedding_names} | {"c": [1]}
        assert smaller.logits(x % 5)[0].shape == (3, 5, 5)

    def test_what_was_frozen_stays_so_and_new_words_can_learn(self):
        model = case(padding_id=2).model
        model.frozen |= {"c": True, "W0": True}
        frozen = resize_vocabulary(model, 12).frozen
        assert frozen.pop("W0") is True
        assert {name: list(rows) for name, rows in frozen.items()} == {
            "E": [2], "c": list(range(9)),
        }  # fmt: skip

    @pytest.mark.parametrize("size", [5, 9, 12])
    def test_a_resized_model_passes_the_check(self, size):
        model, x, y, state = case()
        resized = resize_vocabulary(model, size, rng=0)
        assert check_model(resized, x % size, y % size, state).verdict == "PASS"
