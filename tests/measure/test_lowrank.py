"""The low-rank view: spectra without the V × V matrix, and the rank that they have at most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.cases import case, recurrent
from tinytie.measure.lowrank import linear_scores_spectrum, scores_rank, similarity_spectrum

seeds = st.integers(0, 2**32 - 1)
sizes = st.tuples(st.integers(2, 30), st.integers(1, 12))


def drawn(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def padded(spectrum):
    """With the zeros that are left out."""
    return np.pad(spectrum.values, (0, spectrum.size - len(spectrum.values)))


@given(seeds, sizes)
def test_the_spectrum_of_the_similarities_is_that_of_the_whole_matrix(seed, size):
    (E,) = drawn(seed, size)
    spectrum = similarity_spectrum(E)
    whole = np.linalg.eigvalsh(E @ E.T)[::-1]
    np.testing.assert_allclose(padded(spectrum), whole, atol=1e-10 * whole[0])


@given(seeds, sizes)
def test_the_similarities_have_rank_d_at_most(seed, size):
    (E,) = drawn(seed, size)
    spectrum = similarity_spectrum(E)
    assert spectrum.rank == min(size) == np.linalg.matrix_rank(E @ E.T)
    assert spectrum.size == size[0]


@given(seeds, sizes, st.integers(1, 12))
def test_the_scores_of_a_linear_path_are_those_of_the_whole_product(seed, size, width):
    V, D = size
    E_in, E_out, A = drawn(seed, (V, D), (V, width), (width, D))
    spectrum = linear_scores_spectrum(E_in, E_out, A)
    whole = np.linalg.svd(E_in @ A.T @ E_out.T, compute_uv=False)
    n = min(len(spectrum.values), V)
    np.testing.assert_allclose(spectrum.values[:n], whole[:n], atol=1e-10 * whole[0])
    assert np.allclose(whole[n:], 0, atol=1e-10 * whole[0])
    assert spectrum.rank <= min(V, D, width)


@given(seeds, sizes)
def test_tied_scores_of_the_shortest_path_are_the_similarities(seed, size):
    (E,) = drawn(seed, size)
    shortest, similarities = linear_scores_spectrum(E, E), similarity_spectrum(E)
    n = min(size)
    np.testing.assert_allclose(shortest.values[:n], similarities.values[:n], rtol=1e-6, atol=1e-10)


def test_a_matrix_of_lower_rank_than_its_width_is_seen_as_such():
    E, A = drawn(0, (20, 3), (3, 8))
    assert similarity_spectrum(E @ A).rank == 3
    assert similarity_spectrum(np.zeros((5, 3))).rank == 0


@given(recurrent(output_bias=False, tied=True))
def test_the_scores_of_any_model_have_rank_d_at_most(given_case):
    model, x, _, state = given_case
    logits, _ = model.logits(x, state)
    assert scores_rank(logits) <= model.d_embed < min(x.size, model.vocab_size)


def test_a_bias_adds_one_to_the_rank():
    model, x, _, state = case(V=20, B=4, T=8, output_bias=True)
    assert scores_rank(model.logits(x, state)[0]) == 5


def test_twenty_thousand_words_need_no_matrix_of_twenty_thousand_squared():
    (E,) = drawn(0, (20_000, 8))
    assert linear_scores_spectrum(E, E).rank == similarity_spectrum(E).rank == 8


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: similarity_spectrum(np.zeros(3)), "E must be a matrix of finite numbers"),
        (lambda: similarity_spectrum(np.full((3, 2), np.nan)), "E must be a matrix of finite"),
        (
            lambda: linear_scores_spectrum(np.ones((5, 2)), np.ones((5, 3))),
            r"its shape must be \(3, 2\), got \(2, 2\)",
        ),
    ],
)
def test_what_is_no_such_matrix_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
