"""The made-up language: its entropy is exact, and a true lower bound."""

import numpy as np
import pytest

from tinytie.text.classes import ClassLanguage, entropy
from tinytie.text.tokenizers import EOS


@pytest.fixture(scope="module")
def language():
    return ClassLanguage.make()


def word_chain(language):
    """P(next word | word), (V, V), written out."""
    c = language.class_of
    return language.follow[c][:, c] * language.emit


def test_probabilities_of_the_next_word_sum_to_one(language):
    np.testing.assert_allclose(word_chain(language).sum(axis=1), 1)


def test_the_entropy_is_that_of_the_chain_of_words_written_out():
    language = ClassLanguage.make(n_classes=3, words_each=4, rng=1)
    P = word_chain(language)
    pi = np.linalg.matrix_power(P, 2_000)[0]
    expected = sum(pi[w] * entropy(P[w]) for w in range(len(P)))
    assert language.entropy() == pytest.approx(expected, rel=1e-10)


def test_a_fair_choice_among_n_words_has_entropy_log_n():
    assert entropy(np.full(8, 1 / 8)) == pytest.approx(np.log(8))
    assert entropy(np.array([1.0, 0.0])) == 0


def test_a_long_sample_costs_what_the_entropy_says(language):
    costs = language.code_lengths(language.sample(200_000, np.random.default_rng(0)))
    error = costs.std() / np.sqrt(len(costs))  # a little too small: neighbours are not independent
    assert abs(costs.mean() - language.entropy()) < 6 * error
    assert 6 * error < 0.05


def test_a_model_that_knows_less_pays_more(language):
    ids = language.sample(200_000, np.random.default_rng(1))
    counts = np.bincount(ids, minlength=len(language.words)) / len(ids)
    unigram = -np.log(counts[ids]).mean()
    assert unigram > language.code_lengths(ids).mean() + 0.1


def test_a_sample_follows_the_language(language):
    ids = language.sample(200_000, np.random.default_rng(2))
    often = np.bincount(language.class_of[ids], minlength=len(language.follow)) / len(ids)
    np.testing.assert_allclose(often, language.stationary(), atol=0.01)


def test_the_same_seed_gives_the_same_language_and_text(language):
    again = ClassLanguage.make()
    np.testing.assert_array_equal(again.follow, language.follow)
    draw = [again.sample(50, np.random.default_rng(3)).tolist() for _ in range(2)]
    assert draw[0] == draw[1]


def test_lines_end_in_the_only_word_of_class_zero(language):
    assert language.words[0] == EOS and (language.class_of == 0).sum() == 1


@pytest.mark.parametrize("n", [0, 51])
def test_there_are_syllables_for_fifty_classes(n):
    with pytest.raises(ValueError, match="n_classes must be in 1 … 50"):
        ClassLanguage.make(n_classes=n)
