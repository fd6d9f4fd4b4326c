"""What callers rely on: names and shapes, fresh arrays, fresh reads, dtypes."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given

from tests.models.cases import CELLS, EVERYWHERE, arrays, case, cases, mapped, same
from tinytie import RNNLM, check_model

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
