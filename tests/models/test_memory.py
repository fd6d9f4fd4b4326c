"""How much a step and an evaluation hold at once, and the memory that one step leaves the next."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest

from tinytie import RNNLM, TransformerLM, Translator
from tinytie.models.masks import no_masks

V, D, B, T = 3000, 32, 8, 40
SCORES, MATRIX = 4 * B * T * V, 4 * V * D  # bytes in float32
SLACK = SCORES // 5  # hidden states, ids, and what NumPy holds for a moment


def model_and_batch(vocab_size=V, steps=T):
    model = RNNLM(vocab_size, D, dtype=np.float32, rng=0)
    x, y = np.random.default_rng(1).integers(vocab_size, size=(2, B, steps))
    return model, x, y


def peak_bytes(call):
    """The most that a call holds at once, above what was there before."""
    tracemalloc.start()
    try:
        kept = call()
        return tracemalloc.get_traced_memory()[1], kept
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("paths", [False, True])
def test_a_step_holds_one_array_of_scores_and_few_like_e(paths):
    model, x, y = model_and_batch()
    peak, _ = peak_bytes(lambda: model.loss_and_grads(x, y, paths=paths))
    like_E = 3 if paths else 1  # the gradient, and both paths where they are asked for
    assert peak < SCORES + (like_E + 1) * MATRIX + SLACK


LARGE = {
    "recurrent": lambda: RNNLM(1000, 2, rng=0),
    "transformer": lambda: TransformerLM(1000, 2, 1, 1, 40, d_ff=2, rng=0),
    "translator": lambda: Translator(1000, 2, rng=0),
}
IDS = np.random.default_rng(0).integers(3, 1000, size=(2, 60, 40))
ALL = 8 * 60 * 40 * 1000  # bytes of all their scores in float64


@pytest.mark.parametrize("kind", LARGE)
def test_an_evaluation_holds_a_few_rows_of_scores(kind):
    model = LARGE[kind]()
    peak, _ = peak_bytes(lambda: model.loss(*IDS))
    assert peak < 0.4 * ALL


@pytest.mark.parametrize("kind", LARGE)
def test_above_the_bound_the_scores_are_made_in_chunks(kind):
    peak, whole = peak_bytes(lambda: LARGE[kind]().loss_and_grads(*IDS))
    assert peak > 0.9 * ALL
    model = LARGE[kind]()
    model.max_score_bytes = ALL // 10
    peak, pieces = peak_bytes(lambda: model.loss_and_grads(*IDS))
    assert peak < 0.4 * ALL
    assert pieces.loss == pytest.approx(whole.loss, rel=1e-12)
    for name, gradient in whole.grads.items():
        np.testing.assert_allclose(pieces.grads[name], gradient, rtol=1e-9, atol=1e-15)


def test_the_next_step_writes_its_scores_where_the_last_ones_were():
    model, x, y = model_and_batch()
    model.loss_and_grads(x, y)
    peak, _ = peak_bytes(lambda: model.loss_and_grads(x, y, paths=False))
    assert peak < 2 * MATRIX + SLACK


MODELS = [
    lambda: RNNLM(11, 4, rng=0),
    lambda: TransformerLM(11, 4, 2, 1, 8, rng=0),
    lambda: Translator(11, 4, rng=0),
]


@pytest.mark.parametrize("make", MODELS, ids=["rnn", "transformer", "translator"])
def test_a_step_after_others_is_a_first_step(make):
    rng = np.random.default_rng(2)
    batches = [rng.integers(4, 11, size=(2, 3, steps)) for steps in (5, 5, 6, 5)]
    model = make()
    results = [model.loss_and_grads(*batch) for batch in batches]
    for batch, result in zip(batches, results, strict=True):
        fresh = make().loss_and_grads(*batch)
        assert result.loss == fresh.loss
        for name, g in fresh.grads.items():
            np.testing.assert_array_equal(result.grads[name], g)


def test_a_model_of_another_precision_takes_new_memory():
    model = RNNLM(11, 4, rng=0)
    x, y = np.random.default_rng(3).integers(11, size=(2, 2, 3))
    model.loss_and_grads(x, y)
    single = model.astype(np.float32)
    assert all(g.dtype == np.float32 for g in single.loss_and_grads(x, y).grads.values())


def test_spare_memory_is_in_no_copy_and_no_pickle():
    model, x, y = model_and_batch()
    bare = len(pickle.dumps(model))
    model.loss_and_grads(x, y)
    assert len(pickle.dumps(model)) == bare
    assert vars(copy.deepcopy(model)).keys() == vars(copy.copy(model)).keys()
    assert not any(value is model._spare for value in vars(copy.copy(model)).values())


def test_two_steps_under_way_never_share_the_scores():
    model, x, y = model_and_batch(50, 5)
    expected = model.loss_and_grads(x, y).grads["c"]
    state, masks = model.initial_state(B), no_masks(1)
    E = model.params["E"]
    _, _, first = model._forward(E, E, x, y, state, masks, None)
    model._forward(E, E, y, x, state, masks, None)  # as from another thread
    _, _, grads = model._backward(first)
    np.testing.assert_array_equal(grads["c"], expected)


def test_a_model_that_changes_its_dtype_takes_new_memory():
    model, x, y = model_and_batch(vocab_size=30, steps=3)
    model.loss_and_grads(x, y)
    exact = model.astype(np.float64)
    model.dtype, model.params = exact.dtype, exact.params
    got, expected = model.loss_and_grads(x, y).grads, exact.loss_and_grads(x, y).grads
    assert all(np.array_equal(got[name], expected[name]) for name in expected)
