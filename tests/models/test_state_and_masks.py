"""What goes in beside the words: states, dropout masks, generators, padding."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.cases import CELLS, EVERYWHERE, arrays, case, cases, same
from tinytie import RNNLM, Dropout, LSTMState

every_cell = pytest.mark.parametrize("cell", CELLS)


class TestState:
    @every_cell
    def test_the_state_is_a_tuple_with_one_entry_a_layer(self, cell):
        model, x, y, _ = case(cell=cell, n_layers=2)
        for state in (model.initial_state(3), model.loss(x, y)[1], model.logits(x)[1]):
            assert type(state) is tuple
            assert len(state) == 2
            assert all(isinstance(s, LSTMState) == (cell == "lstm") for s in state)
            assert all(a.shape == (3, 5) for a in arrays(state))

    @given(cases(activation="tanh"))  # a relu may be dead
    def test_no_state_is_a_state_of_zeros(self, drawn):
        model, x, y, state = drawn
        zeros = model.initial_state(len(x))
        assert model.loss(x, y)[0] == model.loss(x, y, zeros)[0]
        assert model.loss(x, y)[0] != model.loss(x, y, state)[0]

    @every_cell
    def test_six_steps_are_three_and_three_with_the_state_carried(self, cell):
        model, x, y, state = case(cell=cell, n_layers=2, T=6)
        whole, end = model.loss(x, y, state)
        first = model.loss_and_grads(x[:, :3], y[:, :3], state)
        second = model.loss_and_grads(x[:, 3:], y[:, 3:], first.state)
        assert math.isclose(whole, (first.loss + second.loss) / 2, rel_tol=1e-13)
        for one, other in zip(arrays(end), arrays(second.state), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)

    def test_a_list_of_nested_lists_serves_as_a_state(self):
        model, x, y, state = case(cell="lstm")
        as_lists = [[part.tolist() for part in s] for s in state]
        assert model.loss(x, y, as_lists)[0] == model.loss(x, y, state)[0]


class TestDropout:
    @given(cases(dropout=EVERYWHERE), st.integers(0, 2**32 - 1))
    def test_masks_replay_through_loss_and_gradients(self, drawn, seed):
        model, *batch = drawn
        result = model.loss_and_grads(*batch, rng=seed)
        again = model.loss_and_grads(*batch, masks=result.masks)
        assert again.loss == result.loss
        assert all(np.array_equal(again.grads[name], g) for name, g in result.grads.items())
        assert math.isclose(model.loss(*batch, masks=result.masks)[0], result.loss, rel_tol=1e-13)
        assert same(again.masks, result.masks)

    @every_cell
    def test_without_a_generator_or_masks_nothing_is_dropped(self, cell):
        model, *batch = case(cell=cell, dropout=0.5)
        assert not arrays(model.loss_and_grads(*batch).masks)
        model_without, *batch = case(cell=cell)
        assert model.loss_and_grads(*batch).loss == model_without.loss_and_grads(*batch).loss

    def test_one_mask_serves_all_steps_where_variational(self):
        for variational, steps in [(True, 1), (False, 5)]:
            dropout = EVERYWHERE._replace(variational=variational)
            model, *batch = case(n_layers=2, dropout=dropout)
            masks = model.loss_and_grads(*batch, rng=0).masks
            assert [m.shape for m in arrays(masks)] == [(3, steps, 4)] + 4 * [(3, steps, 5)]

    def test_masks_hold_zero_and_the_inverse_of_the_kept_share(self):
        model = RNNLM(9, 200, n_layers=2, dropout=Dropout(0.2, 0.25, 0.5, 0.6), rng=0)
        x = np.zeros((4, 20), int)
        masks = arrays(model.loss_and_grads(x, x, rng=0).masks)
        for mask, p in zip(masks, [0.2, 0.25, 0.5, 0.5, 0.6], strict=True):
            assert np.allclose(np.unique(mask), [0, 1 / (1 - p)])
            assert abs(mask.mean() - 1) < 0.05

    def test_a_single_share_drops_embeddings_layers_and_output_but_not_the_state(self):
        assert RNNLM(9, 4, dropout=0.3, rng=0).dropout == Dropout(0.3, 0.3, 0.0, 0.3)

    @pytest.mark.parametrize("place", ["embedding", "layers", "state", "output"])
    @every_cell
    def test_each_place_drops_and_has_the_right_gradient(self, cell, place):
        model, *batch = case(cell=cell, n_layers=2, B=2, T=3, dropout=Dropout(**{place: 0.5}))
        result = model.loss_and_grads(*batch, rng=1)
        assert result.loss != model.loss(*batch)[0]
        named = getattr(result.masks, place)
        assert len(arrays(result.masks)) == len(arrays((named,)))


class TestGenerators:
    def test_the_same_seed_makes_the_same_model(self):
        one, two, other = (RNNLM(9, 4, rng=seed) for seed in (3, 3, 4))
        assert same(tuple(one.params.values()), tuple(two.params.values()))
        assert not np.array_equal(one.params["E"], other.params["E"])

    def test_a_generator_is_advanced(self):
        rng = np.random.default_rng(3)
        one, two = RNNLM(9, 4, rng=rng), RNNLM(9, 4, rng=rng)
        assert np.array_equal(one.params["E"], RNNLM(9, 4, rng=3).params["E"])
        assert not np.array_equal(one.params["E"], two.params["E"])

    def test_no_seed_is_fresh_entropy(self):
        assert not np.array_equal(RNNLM(9, 4).params["E"], RNNLM(9, 4).params["E"])

    def test_making_a_model_leaves_the_global_generator_alone(self):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        model, *batch = case(dropout=0.5)
        model.loss_and_grads(*batch, rng=0)
        assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002

    def test_masks_follow_the_seed_and_advance_a_generator(self):
        model, *batch = case(dropout=0.5)
        draw = lambda rng: model.loss_and_grads(*batch, rng=rng).masks
        assert same(draw(5), draw(5))
        rng = np.random.default_rng(5)
        first, second = draw(rng), draw(rng)
        assert same(first, draw(5))
        assert not same(first, second)


class TestPadding:
    def test_the_padding_row_starts_at_zero_and_is_frozen(self):
        tied, untied = (RNNLM(9, 4, tied=tied, padding_id=3, rng=0) for tied in (True, False))
        assert {name: list(rows) for name, rows in tied.frozen.items()} == {"E": [3]}
        frozen = {name: list(rows) for name, rows in untied.frozen.items()}
        assert frozen == {"E_in": [3], "E_out": [3]}
        for model in (tied, untied):
            assert not any(model.params[name][3].any() for name in model.embedding_names)

    def test_padding_targets_carry_no_loss(self):
        model, x, y, state = case(padding_id=8)
        y[:, 3:] = 8
        shorter = model.loss(x[:, :3], y[:, :3], state)[0]
        assert math.isclose(model.loss(x, y, state)[0], shorter, rel_tol=1e-13)

    @pytest.mark.parametrize("method", ["loss", "loss_and_grads"])
    def test_a_batch_of_padding_only_is_refused(self, method):
        model, x, y, state = case(padding_id=8)
        with pytest.raises(ValueError, match="every target is the padding id 8"):
            getattr(model, method)(x, np.full_like(y, 8), state)

    def test_without_a_padding_id_nothing_is_frozen(self):
        assert RNNLM(9, 4, rng=0).frozen == {}
