"""How much a step and an evaluation hold at once, and that no step knows of another."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

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


MODELS = {
    "recurrent": lambda: RNNLM(11, 4, rng=0),
    "transformer": lambda: TransformerLM(11, 4, 2, 1, 8, rng=0),
    "translator": lambda: Translator(11, 4, rng=0),
}
every_kind = pytest.mark.parametrize("kind", MODELS)


@every_kind
def test_lent_memory_is_written_to_and_changes_no_number(kind):
    model, (x, y) = MODELS[kind](), np.random.default_rng(2).integers(4, 11, size=(2, 3, 5))
    fresh = model.loss_and_grads(x, y)
    memory = model.memory_for(y.size if kind != "translator" else y[:, 1:].size)
    memory[:] = np.nan
    for _ in range(2):
        lent = model.loss_and_grads(x, y, memory=memory)
        assert lent.loss == fresh.loss
        assert not np.isnan(memory).any()
        for name, g in fresh.grads.items():
            np.testing.assert_array_equal(lent.grads[name], g)
            assert not np.shares_memory(lent.grads[name], memory)


def test_a_step_with_lent_memory_holds_no_scores_of_its_own():
    model, x, y = model_and_batch()
    memory = model.memory_for(y.size)
    peak, _ = peak_bytes(lambda: model.loss_and_grads(x, y, paths=False, memory=memory))
    assert peak < 2 * MATRIX + SLACK


def test_memory_that_does_not_fit_is_refused_and_none_is_needed_for_chunks():
    model, x, y = model_and_batch()
    with pytest.raises(ValueError, match=r"memory must be an array of shape \(320, 3000\)"):
        model.loss_and_grads(x, y, memory=np.empty((3, 3000), np.float32))
    model.max_score_bytes = 1
    assert model.memory_for(y.size) is None


@every_kind
def test_steps_under_way_at_the_same_time_share_nothing(kind):
    """Every step computed while others run, in threads, has the numbers of a step alone."""
    model, rng = MODELS[kind](), np.random.default_rng(2)
    batches = [rng.integers(4, 11, size=(2, 3, steps)) for steps in (5, 5, 6, 5)]
    alone = [MODELS[kind]().loss_and_grads(*batch) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda batch: model.loss_and_grads(*batch), batches * 20))
    for result, expected in zip(together, alone * 20, strict=True):
        assert result.loss == expected.loss
        for name, g in expected.grads.items():
            np.testing.assert_array_equal(result.grads[name], g)


@pytest.mark.parametrize("kind", ["recurrent", "transformer"])
def test_a_second_backward_of_one_cache_gives_the_same_numbers_whatever_ran_since(kind):
    model, (x, y) = MODELS[kind](), np.random.default_rng(2).integers(4, 11, size=(2, 3, 5))
    e = model.params["E"][x]
    start = model.body.checked_state(None, 3, model.dtype)
    o, _, cache = model.body.forward(e, model.params, start, no_masks(model.body.drops))
    first = model.body.backward(o, cache)
    model.loss_and_grads(y, x)
    second = model.body.backward(o, cache)
    np.testing.assert_array_equal(first[0], second[0])
    assert all(np.array_equal(first[1][name], second[1][name]) for name in first[1])
