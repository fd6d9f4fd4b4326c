"""The measures of both paths, against a gradient small enough to see."""

import numpy as np
import pytest

import tinytie
from tinytie.measure.paths import Band, frequency_bands, path_rows
from tinytie.models.language_model import EmbeddingPaths


def test_bands_hold_every_word_once_from_frequent_to_rare():
    text = np.repeat(np.arange(150), np.arange(150, 0, -1))[::-1]  # word 0 is the most frequent
    everything, *bands = frequency_bands(text, 160)
    assert [band.name for band in bands] == ["rank 1–10", "rank 11–100", "rank 101–160"]
    assert np.concatenate([band.rows for band in bands]).tolist() == everything.rows.tolist()
    assert sorted(everything.rows) == list(range(160))
    assert bands[0].rows.tolist() == list(range(10))
    assert 155 in bands[2].rows  # a word that the text does not hold is rare too


def test_a_small_vocabulary_is_one_band():
    assert [band.name for band in frequency_bands(np.array([1, 1, 0]), 3)] == [
        "all words",
        "rank 1–3",
    ]


def test_norms_cosine_and_touched_rows_by_hand():
    dE_in = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 0.0]])
    dE_out = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 2.0]])
    bands = [Band("all", np.arange(3)), Band("unseen", np.array([1, 2]))]
    everything, unseen = path_rows(7, EmbeddingPaths(dE_in, dE_out), bands)
    assert everything[:4] == (7, "all", 5.0, 3.0)
    assert everything.cosine == pytest.approx(8 / 15)
    assert (everything.input_touched, everything.output_touched) == (pytest.approx(1 / 3), 1.0)
    assert unseen == (7, "unseen", 0.0, pytest.approx(5**0.5), None, 0.0, 1.0)


def test_paths_of_different_widths_have_no_cosine():
    paths = EmbeddingPaths(np.ones((3, 2)), np.ones((3, 4)))
    (row,) = path_rows(0, paths, [Band("all", np.arange(3))])
    assert row.cosine is None and row.output_norm == pytest.approx(12**0.5)


def test_the_lookup_path_touches_the_rows_of_the_batch_alone():
    model = tinytie.RNNLM(20, 5, rng=0)
    x, y = np.array([[1, 2, 1], [3, 1, 2]]), np.array([[2, 1, 4], [1, 2, 5]])
    paths = model.loss_and_grads(x, y).embedding_paths
    (row, *_) = path_rows(0, paths, frequency_bands(x.ravel(), 20))
    assert row.input_touched == pytest.approx(3 / 20)
    assert row.output_touched == 1.0
