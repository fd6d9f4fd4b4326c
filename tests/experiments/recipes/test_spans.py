"""The subspace experiment in miniature."""

import numpy as np

from tinytie.experiments.recipes.spans import Scale, one_beta, spans_by_beta

SMALL = Scale(width=8, epochs=8, steps=10, rate=1e-2)


def test_the_divergence_draws_the_output_embedding_into_the_span_of_the_input(corpus):
    without, alone = spans_by_beta(corpus, SMALL, betas=(0.0, 1.0))
    assert alone.distance < without.distance - 0.1
    assert alone.residual < without.residual - 0.2
    assert without.valid < alone.valid  # and nothing but the cross-entropy learns the words


def test_the_same_seed_gives_the_same_spans(corpus):
    scale = SMALL.changed(epochs=1)
    assert one_beta(corpus, 0.3, scale) == one_beta(corpus, 0.3, scale)


def test_the_rows_of_the_input_embedding_are_kept_at_length_one(corpus, monkeypatch):
    from tinytie.experiments.recipes import spans

    seen = []
    monkeypatch.setattr(spans, "subspace_distance", lambda E_in, _: seen.append(E_in.copy()) or 0)
    one_beta(corpus, 0.3, SMALL.changed(epochs=1))
    np.testing.assert_allclose(np.linalg.norm(seen[0], axis=1), 1, atol=1e-6)
