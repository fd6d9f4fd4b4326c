"""Which token is which row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie.text.tokenizers import EOS, UNK
from tinytie.text.vocabulary import Vocabulary

tokens = st.lists(st.sampled_from([*"abcdefg", UNK, EOS]), min_size=1)


def test_frequent_words_come_first_and_equals_follow_the_alphabet():
    words = Vocabulary.build(["b", "a", "c", "c", "d", "b", "c", EOS]).words
    assert words == [UNK, EOS, "c", "b", "a", "d"]


def test_words_below_the_minimum_count_become_unk():
    vocabulary = Vocabulary.build(["a", "a", "b"], min_count=2)
    assert vocabulary.decode(vocabulary.encode(["a", "b", "z"])) == ["a", UNK, UNK]


@given(tokens)
def test_decode_undoes_encode_of_what_was_counted(given_tokens):
    vocabulary = Vocabulary.build(given_tokens)
    assert vocabulary.decode(vocabulary.encode(given_tokens)) == given_tokens


@given(tokens, st.randoms())
def test_the_order_of_the_text_does_not_matter(given_tokens, random):
    shuffled = random.sample(given_tokens, len(given_tokens))
    assert Vocabulary.build(shuffled).words == Vocabulary.build(given_tokens).words


def test_without_unk_an_unknown_word_is_an_error():
    with pytest.raises(ValueError, match="'b' is not in the vocabulary"):
        Vocabulary(["a"]).encode(["a", "b"])


def test_a_word_given_twice_is_an_error():
    with pytest.raises(ValueError, match="'b' is there twice"):
        Vocabulary(["a", "b", "b"])
