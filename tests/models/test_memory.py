"""How much a loss holds: with a large vocabulary the scores are most of it."""

import tracemalloc

import numpy as np
import pytest

from tinytie import RNNLM, TransformerLM, Translator

B, T, V = 60, 40, 1000
SCORES = 8 * B * T * V  # bytes of all scores in float64
X, Y = np.random.default_rng(0).integers(3, V, size=(2, B, T))

MODELS = {
    "recurrent": lambda: RNNLM(V, 2, rng=0),
    "transformer": lambda: TransformerLM(V, 2, 1, 1, T, d_ff=2, rng=0),
    "translator": lambda: Translator(V, 2, rng=0),
}


def peak_bytes(call):
    """The most memory that the call held at a time."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", MODELS)
def test_a_loss_alone_never_holds_all_scores(kind):
    model = MODELS[kind]()
    assert peak_bytes(lambda: model.loss(X, Y)) < 0.7 * SCORES


@pytest.mark.parametrize("kind", MODELS)
def test_training_holds_all_scores_only_where_they_fit_and_otherwise_no_more_than_allowed(kind):
    model = MODELS[kind]()
    whole = model.loss_and_grads(X, Y)
    assert peak_bytes(lambda: model.loss_and_grads(X, Y)) > 0.9 * SCORES
    model.max_score_bytes = SCORES // 10
    assert peak_bytes(lambda: model.loss_and_grads(X, Y)) < 0.7 * SCORES
    pieces = model.loss_and_grads(X, Y)
    assert pieces.loss == pytest.approx(whole.loss, rel=1e-12)
    for name, gradient in whole.grads.items():
        np.testing.assert_allclose(pieces.grads[name], gradient, rtol=1e-9, atol=1e-15)
