"""What callers rely on, of every body: fresh arrays, fresh reads, one token at a time, seeds."""

import copy
import math

import numpy as np
import pytest

from tests.models.cases import (
    EXAMPLES,
    arrays,
    case,
    close,
    every_cell,
    every_example,
    every_tie,
    made,
    same,
)
from tinytie import RNNLM, Dropout, TransformerLM, check_model


def everything(model, x, y, state, **options):
    """All arrays that the model's methods return."""
    result = model.loss_and_grads(x, y, state, **options)
    returned = tuple(result.grads.values()), result[2:], model.logits(x, state)
    return arrays((*returned, model.loss(x, y, state)[1]))


@every_tie
@every_example
def test_a_call_changes_nothing_shares_nothing_and_repeats_to_the_bit(name, tied):
    model, x, y, state = made(name, tied, dropout=0.5)
    masks = model.loss_and_grads(x, y, state, rng=0).masks
    taken = arrays((x, y, state, masks, tuple(model.params.values())))
    kept = copy.deepcopy(taken)
    first = everything(model, x, y, state, masks=masks)
    assert same(tuple(taken), tuple(kept))
    assert not any(np.shares_memory(out, array) for out in first for array in taken)
    kept = copy.deepcopy(first)
    for array in first:
        array[...] = np.nan  # overwriting a result does not reach the next call
    assert same(tuple(everything(model, x, y, state, masks=masks)), tuple(kept))


@every_tie
@every_example
def test_an_edit_in_place_and_a_new_array_count_at_the_next_call(name, tied):
    model, x, y, state = made(name, tied, T=6)
    for key, array in model.params.items():
        before, shift = model.logits(x, state)[0], np.sin(np.arange(array.size))
        array += 0.1 * shift.reshape(array.shape)
        edited = model.logits(x, state)[0]
        model.params[key] = np.asfortranarray(array * 1.5)  # the order in memory is no matter
        replaced = model.loss_and_grads(x, y, state).loss
        assert not np.array_equal(before, edited), key
        assert replaced == model.loss(x, y, state)[0]


@every_example
def test_config_makes_a_model_of_the_same_kind_and_the_seed_its_numbers(name):
    more = {} if "transformer" in name else {"padding_id": 3}
    for tied, dtype in [(True, "float64"), (False, "float32")]:
        make, options = EXAMPLES[name]
        options = options | more | {"tied": tied, "dtype": dtype, "dropout": 0.3}
        model = make(9, **options | {"embed_scale": 2.0}, rng=0)
        twin, other = (type(model)(**model.config, rng=seed) for seed in (0, 1))
        assert twin.config == model.config
        assert same(tuple(twin.params.values()), tuple(model.params.values()))
        assert not same(tuple(other.params.values()), tuple(model.params.values()))


@every_example
def test_a_later_word_changes_nothing_before_it_to_the_bit(name):
    model, x, _, state = made(name)
    changed = x.copy()
    changed[:, 3:] = (changed[:, 3:] + 1) % 9
    before, after = model.logits(x, state)[0], model.logits(changed, state)[0]
    np.testing.assert_array_equal(after[:, :3], before[:, :3])
    assert (after[:, 3:] != before[:, 3:]).any(axis=-1).all()


@every_tie
@every_example
class TestStep:
    def test_step_by_step_the_scores_are_those_of_the_whole_text(self, name, tied):
        model, x, *_ = made(name, tied, dropout=0.5)
        memory, whole = model.start(3), model.logits(x)[0]
        for t in range(x.shape[1]):
            scores, after = model.step(x[:, t], memory)
            close(scores, whole[:, t])
            assert np.array_equal(
                model.step(x[:, t], memory)[0], scores
            )  # memory is left as it was
            memory = after

    def test_what_is_no_token_of_each_row_is_refused(self, name, tied):
        model, x, *_ = made(name, tied)
        for wrong in (x, 3, [[1]]):
            with pytest.raises(ValueError, match=r"ids must have shape \(B,\)"):
                model.step(wrong, model.start(3))
        with pytest.raises(ValueError, match="ids holds the id 9, outside 0 … 8"):
            model.step([0, 1, 9], model.start(3))

    def test_a_memory_of_another_batch_or_from_elsewhere_is_refused(self, name, tied):
        model, x, *_ = made(name, tied)
        _, memory = model.step(x[:, 0], model.start(3))
        for ids, wrong in [(x[:2, 0], memory), (x[:, 0], "text"), (x[:, 0], (1, 2, 3, 4))]:
            with pytest.raises((ValueError, TypeError), match=r"must have shape|must be"):
                model.step(ids, wrong)


@every_tie
@every_example
def test_at_zero_weights_the_loss_is_the_logarithm_of_the_vocabulary(name, tied):
    model, *batch = made(name, tied, V=11)
    for array in model.params.values():
        array[...] = 0
    assert math.isclose(model.loss(*batch)[0], math.log(11), rel_tol=1e-14)


@pytest.mark.parametrize("sign", [1, -1])
@every_example
def test_scores_of_ten_thousand_neither_overflow_nor_lose_the_gradient(name, sign):
    model, x, y, state = made(name, output_bias=True)
    model.params["c"][...] = 0
    model.params["c"][0] = sign * 1e4
    result = model.loss_and_grads(x, y, state)
    assert math.isfinite(result.loss)
    assert all(np.isfinite(gradient).all() for gradient in result.grads.values())
    right = model.loss(x, np.zeros_like(y), state)[0]
    assert right < 1e-9 if sign > 0 else right > 9000


@every_tie
@every_cell
def test_the_smallest_model_of_all_works(cell, tied):
    """B = T = D = H = 1 and two words."""
    model = RNNLM(2, 1, cell=cell, tied=tied, rng=0)
    result = model.loss_and_grads([[1]], [[0]])
    assert 0 < result.loss < 2 * math.log(2)
    assert check_model(model, np.array([[1]]), np.array([[0]])).verdict != "FAIL"
    assert {n: g.shape for n, g in result.grads.items()} == model.shapes


class TestFirstLoss:
    """It is ln V in every mode: nothing is known yet, and nothing is claimed."""

    def worst(self, make, V=50, **options):
        """The largest relative distance from ln V over several seeds, tied and untied."""
        x, y = np.random.default_rng(0).integers(V, size=(2, 8, 12))
        losses = [
            make(V, tied=tied, rng=seed, **options).loss(x, y)[0]
            for tied in (True, False) for seed in range(4)
        ]  # fmt: skip
        return max(abs(loss / math.log(V) - 1) for loss in losses)

    @every_example
    def test_of_every_body(self, name):
        (make, options), large = EXAMPLES[name], {"max_len": 12} if "transformer" in name else {}
        for scale in (1.0, 8.0):
            assert self.worst(make, **options | large | {"embed_scale": scale}) < 0.05

    @pytest.mark.parametrize(("D", "H"), [(1, 1), (2, 64), (64, 2), (64, 64)])
    @every_cell
    def test_of_every_cell_at_every_width(self, cell, D, H):
        sizes = {"d_embed": D, "d_hidden": H, "cell": cell}
        assert self.worst(RNNLM, **sizes) < 0.05
        assert self.worst(RNNLM, **sizes, n_layers=3, projection=True, embed_scale=8.0) < 0.05
        assert self.worst(RNNLM, **sizes, padding_id=0, output_bias=False, activation="relu") < 0.05

    @pytest.mark.parametrize("norm", ["post", "pre"])
    @pytest.mark.parametrize("final_norm", [False, True])
    @pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
    def test_of_a_transformer_at_every_width(self, norm, final_norm, positions):
        modes = {"norm": norm, "final_norm": final_norm, "positions": positions}
        for d in (8, 64, 256):
            sizes = {"d_model": d, "n_heads": 4, "n_layers": 1}
            assert (
                self.worst(TransformerLM, **sizes, max_len=12, embed_scale=math.sqrt(d), **modes)
                < 0.05
            )

    def test_for_many_words(self):
        assert self.worst(RNNLM, V=5000, d_embed=16) < 0.05

    def test_under_dropout(self):
        model, *batch = case(V=50, d_embed=64, n_layers=2, dropout=Dropout(0.5, 0.5, 0.5, 0.5))
        model = RNNLM(**model.config, rng=0)
        assert abs(model.loss_and_grads(*batch[:2], rng=0).loss / math.log(50) - 1) < 0.05


class TestGenerators:
    def test_a_generator_is_advanced_and_none_is_fresh_entropy(self):
        rng = np.random.default_rng(3)
        one, two, three, four = (
            RNNLM(9, 4, rng=given).params["E"] for given in (rng, rng, None, None)
        )
        assert np.array_equal(one, RNNLM(9, 4, rng=3).params["E"])
        assert not np.array_equal(one, two)
        assert not np.array_equal(three, four)

    @every_example
    def test_masks_follow_the_seed_advance_a_generator_and_leave_the_global_one_alone(self, name):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        model, *batch = made(name, dropout=0.5)
        draw = lambda rng: model.loss_and_grads(*batch, rng=rng).masks
        rng = np.random.default_rng(5)
        first, second = draw(rng), draw(rng)
        assert same(first, draw(5))
        assert not same(first, second)
        assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002
