"""BLEU, on cases computed by hand."""

import math

import pytest

from tinytie.measure.bleu import bleu_words, corpus_bleu


def bleu(translations, references, **options):
    return corpus_bleu(
        [t.split() for t in translations], [r.split() for r in references], **options
    )


def test_a_perfect_translation_scores_a_hundred():
    assert bleu(["the cat sat down"], ["the cat sat down"]).score == pytest.approx(100)


def test_a_word_counts_no_more_often_than_in_its_reference():
    # "the" seven times against a reference with two: 2 of 7, as in the paper
    found = bleu(["the the the the the the the"], ["the cat is on the mat"], max_n=1)
    assert found.precisions == (pytest.approx(2 / 7),)
    assert found.score == pytest.approx(100 * 2 / 7)


def test_four_precisions_by_hand():
    # a b c d e against a b c d f: 4/5 words, 3/4 pairs, 2/3 triples, 1/2 fours; as long
    found = bleu(["a b c d e"], ["a b c d f"])
    assert found.precisions == pytest.approx((4 / 5, 3 / 4, 2 / 3, 1 / 2))
    assert found.brevity == 1
    assert found.score == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)


def test_a_short_translation_pays_the_brevity_penalty():
    found = bleu(["a b c d"], ["a b c d e f"])
    assert found.precisions == (1, 1, 1, 1)
    assert found.score == pytest.approx(100 * math.exp(1 - 6 / 4))


def test_a_long_translation_pays_in_precision_alone():
    found = bleu(["a b c d e f"], ["a b c d"])
    assert found.brevity == 1
    assert found.precisions == pytest.approx((4 / 6, 3 / 5, 2 / 4, 1 / 3))


def test_counts_are_added_over_the_corpus_before_they_are_divided():
    # words 4/5 + 1/4 -> 5/9, pairs 3/4 + 0/3 -> 3/7, triples 2/3 + 0/2 -> 2/5, fours 1/2 + 0/1
    found = bleu(["a b c d e", "v w x y"], ["a b c d f", "v p q r"])
    assert found.precisions == pytest.approx((5 / 9, 3 / 7, 2 / 5, 1 / 3))
    assert found.score == pytest.approx(100 * (5 / 9 * 3 / 7 * 2 / 5 * 1 / 3) ** 0.25)


def test_brevity_is_of_the_corpus_and_not_of_a_sentence():
    found = bleu(["a b c d", "a b c d e f"], ["a b c d e", "a b c d e"])
    assert found.brevity == 1


def test_no_common_four_words_score_zero():
    found = bleu(["a b c x"], ["a b c d"])
    assert found.score == 0
    assert found.precisions == pytest.approx((3 / 4, 2 / 3, 1 / 2, 0))
    assert bleu(["", ""], ["a b", "c"]).score == 0
    assert bleu([""], ["a"]).brevity == 0


def test_other_numbers_of_sentences_are_refused():
    with pytest.raises(ValueError, match="got 1 translations and 2 references"):
        bleu(["a"], ["a", "b"])
    with pytest.raises(ValueError, match="there must be one"):
        bleu([], [])


def test_words_keep_their_hyphens_and_marks_stand_alone():
    text = "L'homme a quatre-vingt-un ans, non ?"
    assert bleu_words(text) == ["L'homme", "a", "quatre-vingt-un", "ans", ",", "non", "?"]
