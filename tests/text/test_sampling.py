"""Sampling: the distribution it draws from, and that the state is carried."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie import RNNLM, TransformerLM
from tinytie.ops.softmax import softmax
from tinytie.text.sampling import generate, next_probabilities

scores = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=12))


@given(scores, st.floats(0.01, 10), st.integers(1, 15))
def test_exactly_the_top_k_can_be_drawn(s, temperature, k):
    p = next_probabilities(s, temperature, k)
    assert p.sum() == pytest.approx(1)
    allowed = np.argsort(-s)[: min(k, len(s))]
    assert np.delete(p, allowed).sum() == 0


@given(scores)
def test_temperature_one_is_the_model_itself(s):
    np.testing.assert_allclose(next_probabilities(s), softmax(s))


@given(scores)
def test_a_cold_sampler_takes_the_best_and_a_hot_one_anything(s):
    assert next_probabilities(s, 1e-300).argmax() == s.argmax()
    np.testing.assert_allclose(next_probabilities(s, 1e9), 1 / len(s), rtol=1e-6)


def test_equal_scores_do_not_widen_the_top_k():
    assert np.count_nonzero(next_probabilities(np.zeros(9), top_k=4)) == 4


@pytest.mark.parametrize("options", [{"temperature": 0.0}, {"top_k": 0}])
def test_options_that_leave_nothing_to_draw_are_refused(options):
    with pytest.raises(ValueError, match=r"must be (above 0|at least 1)"):
        next_probabilities(np.zeros(3), **options)


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_one_step_at_a_time_equals_the_whole_text_each_time(cell):
    model = RNNLM(11, 6, cell=cell, n_layers=2, rng=1)
    for array in model.params.values():
        array *= 5  # so that the state matters
    start = np.array([3, 1, 4])
    drawn = generate(model, start, 12, temperature=1e-6)
    text = start.tolist()
    for _ in range(12):
        text.append(int(model.logits(np.array([text]))[0][0, -1].argmax()))
    assert drawn.tolist() == text[3:]
    assert len(set(drawn.tolist())) > 1


def test_a_full_memory_begins_again_with_its_last_half():
    model = TransformerLM(11, 6, 2, 2, 6, rng=0)
    rng = np.random.default_rng(0)
    for array in model.params.values():
        array += 0.5 * rng.standard_normal(array.shape)
    start = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    drawn = generate(model, start, 12, temperature=1e-6)
    text, began = start.tolist(), len(start) - 3
    for _ in range(12):
        if len(text) - began > model.max_len:
            began = len(text) - 3
        text.append(int(model.logits(np.array([text[began:]]))[0][0, -1].argmax()))
    assert drawn.tolist() == text[len(start) :]
    assert len(set(drawn.tolist())) > 1


def test_the_seed_fixes_the_text():
    model = RNNLM(30, 4, rng=0)
    one, again, other = (generate(model, np.array([0]), 20, rng=seed) for seed in (1, 1, 2))
    assert one.tolist() == again.tolist() != other.tolist()
