"""What callers rely on: fresh arrays, fresh reads, dtypes, states, masks and generators."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.cases import CELLS, EVERYWHERE, arrays, case, cases, mapped, same
from tinytie import RNNLM, Dropout, LSTMState, check_model

every_cell = pytest.mark.parametrize("cell", CELLS)


def everything(model, x, y, state, **options):
    """All arrays that the model's methods return."""
    result = model.loss_and_grads(x, y, state, **options)
    scores, after = model.logits(x, state)
    _, last = model.loss(x, y, state)
    nested = (tuple(result.grads.values()), result.embedding_paths, result.state, result.masks)
    return arrays((*nested, scores, after, last))


class TestParameters:
    @pytest.mark.parametrize(("cell", "gates"), [("rnn", 1), ("gru", 3), ("lstm", 4)])
    def test_names_and_shapes_are_those_of_the_equations(self, cell, gates):
        V, D, H = 11, 4, 6
        model = RNNLM(V, D, H, cell=cell, n_layers=2, rng=0)
        shapes = {name: array.shape for name, array in model.params.items()}
        assert shapes == {
            "E": (V, D),
            "W0": (gates * H, D), "U0": (gates * H, H), "b0": (gates * H,),
            "W1": (gates * H, H), "U1": (gates * H, H), "b1": (gates * H,),
            "P": (D, H), "p": (D,), "c": (V,),
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("tied", "d_hidden", "projection", "has_P", "matrices"),
        [
            (True, 4, None, False, {"E": (9, 4)}),
            (True, 4, True, True, {"E": (9, 4)}),
            (True, 6, None, True, {"E": (9, 4)}),
            (True, 3, None, True, {"E": (9, 4)}),
            (False, 4, None, False, {"E_in": (9, 4), "E_out": (9, 4)}),
            (False, 6, None, False, {"E_in": (9, 4), "E_out": (9, 6)}),
            (False, 6, True, True, {"E_in": (9, 4), "E_out": (9, 4)}),
            (False, 4, True, True, {"E_in": (9, 4), "E_out": (9, 4)}),
        ],
    )
    def test_widths_decide_the_projection(self, tied, d_hidden, projection, has_P, matrices):
        model = RNNLM(9, 4, d_hidden, tied=tied, projection=projection, rng=0)
        assert ("P" in model.params, "p" in model.params) == (has_P, has_P)
        assert {n: a.shape for n, a in model.params.items() if n.startswith("E")} == matrices

    def test_without_an_output_bias_there_is_no_c(self):
        assert "c" not in RNNLM(9, 4, output_bias=False, rng=0).params

    def test_a_hidden_width_that_is_not_given_is_the_embedding_width(self):
        assert RNNLM(9, 4, rng=0).d_hidden == 4

    @given(cases())
    def test_gradients_have_exactly_the_keys_shapes_and_dtypes_of_the_parameters(self, drawn):
        model, *batch = drawn
        for paths in (True, False):
            grads = model.loss_and_grads(*batch, paths=paths).grads
            assert grads.keys() == model.params.keys()
            for name, array in model.params.items():
                assert (grads[name].shape, grads[name].dtype) == (array.shape, array.dtype)

    def test_an_edit_in_place_counts_at_the_next_call(self):
        model, *batch = case()
        before = model.loss(*batch)[0]
        for name, array in model.params.items():
            array += 0.1
            after = model.loss(*batch)[0]
            changed_scores = name != "c"  # a constant on every score changes nothing
            assert (abs(after - before) > 1e-9) == changed_scores, name
            before = after

    def test_a_replaced_array_counts_at_the_next_call(self):
        model, *batch = case()
        before = model.loss(*batch)[0]
        for name, array in model.params.items():
            model.params[name] = np.asfortranarray(array * 1.5)  # the order in memory is no matter
            after = model.loss_and_grads(*batch).loss
            assert abs(after - before) > 1e-9, name
            before = after

    def test_config_makes_a_model_of_the_same_kind(self):
        for tied, dtype in [(True, "float64"), (False, "float32")]:
            model = RNNLM(
                9, 4, 5, cell="lstm", n_layers=2, tied=tied, activation="relu", output_bias=False,
                embed_scale=2.0, dropout=EVERYWHERE, padding_id=3, dtype=dtype, rng=0,
            )  # fmt: skip
            twin = RNNLM(**model.config, rng=0)
            assert twin.config == model.config
            assert same(tuple(twin.params.values()), tuple(model.params.values()))


class TestArrays:
    @given(cases(dropout=EVERYWHERE))
    def test_inputs_are_not_changed(self, drawn):
        model, x, y, state = drawn
        masks = model.loss_and_grads(x, y, state, rng=0).masks
        given_arrays = arrays((x, y, state, masks, tuple(model.params.values())))
        kept = copy.deepcopy(given_arrays)
        everything(model, x, y, state, masks=masks)
        for array, old in zip(given_arrays, kept, strict=True):
            assert np.array_equal(array, old)

    @given(cases(dropout=EVERYWHERE))
    def test_what_is_returned_is_no_view_of_what_was_given(self, drawn):
        model, x, y, state = drawn
        masks = model.loss_and_grads(x, y, state, rng=0).masks
        given_arrays = arrays((x, y, state, masks, tuple(model.params.values())))
        for out in everything(model, x, y, state, masks=masks):
            assert not any(np.shares_memory(out, array) for array in given_arrays)

    @given(cases())
    def test_the_second_call_returns_the_same_bits(self, drawn):
        model, *batch = drawn
        first, second = everything(model, *batch), everything(model, *batch)
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))

    def test_overwriting_a_result_does_not_reach_the_next_call(self):
        model, x, y, state = case(cell="lstm")
        before = model.loss_and_grads(x, y, state)
        kept = copy.deepcopy(before)
        for array in arrays((tuple(before.grads.values()), before.state)):
            array[...] = np.nan
        after = model.loss_and_grads(x, y, state)
        assert after.loss == kept.loss
        assert same(tuple(after.grads.values()), tuple(kept.grads.values()))

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @every_cell
    def test_every_result_has_the_dtype_of_the_model(self, cell, dtype):
        model = RNNLM(
            60, 4, 5, cell=cell, n_layers=2, embed_scale=2.0, dropout=EVERYWHERE, dtype=dtype, rng=0
        )
        x = np.arange(12).reshape(3, 4)
        state = mapped(lambda a: a.astype(np.float64), model.initial_state(3))
        outs = everything(model, x, x, state, rng=0)
        assert {out.dtype for out in outs} == {np.dtype(dtype)}
        assert {a.dtype for a in arrays(model.initial_state(3))} == {np.dtype(dtype)}
        assert type(model.loss(x, x)[0]) is type(model.loss_and_grads(x, x).loss) is float

    @every_cell
    def test_float32_gradients_agree_with_float64(self, cell):
        model, x, y, state = case(cell=cell, n_layers=2)
        exact = model.loss_and_grads(x, y, state).grads
        single = model.astype(np.float32).loss_and_grads(x, y, state).grads
        for name, gradient in exact.items():
            assert np.abs(single[name] - gradient).max() < 1e-5 * np.abs(gradient).max() + 1e-7


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


@pytest.mark.parametrize("tied", [True, False])
@every_cell
def test_the_smallest_model_of_all_works(cell, tied):
    """B = T = D = H = 1 and two words."""
    model = RNNLM(2, 1, cell=cell, tied=tied, rng=0)
    result = model.loss_and_grads([[1]], [[0]])
    assert 0 < result.loss < 2 * math.log(2)
    assert check_model(model, np.array([[1]]), np.array([[0]])).verdict != "FAIL"
    assert {n: g.shape for n, g in result.grads.items()} == model.shapes
    assert model.logits([[1]])[0].shape == (1, 1, 2)


def test_at_zero_weights_the_loss_is_the_logarithm_of_the_vocabulary():
    model, *batch = case(V=11)
    for array in model.params.values():
        array[...] = 0
    assert math.isclose(model.loss(*batch)[0], math.log(11), rel_tol=1e-14)


@pytest.mark.parametrize("sign", [1, -1])
def test_scores_of_ten_thousand_neither_overflow_nor_lose_the_gradient(sign):
    model, x, y, state = case()
    model.params["c"][...] = 0
    model.params["c"][0] = sign * 1e4
    result = model.loss_and_grads(x, y, state)
    assert math.isfinite(result.loss)
    assert all(np.isfinite(gradient).all() for gradient in result.grads.values())
    right = model.loss(x, np.zeros_like(y), state)[0]
    assert right < 1e-9 if sign > 0 else right > 9000


@pytest.mark.parametrize(
    "through", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_a_copy_gives_the_same_loss(through):
    model, *batch = case(cell="lstm", dropout=EVERYWHERE, padding_id=2)
    assert through(model).loss(*batch)[0] == model.loss(*batch)[0]
