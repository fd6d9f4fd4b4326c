"""Texts as tokens, and tokens as text again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie.text.tokenizers import EOS, TOKENIZERS, UNK, join, tokenize

lines = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"))


def test_words_are_lower_case_and_punctuation_stands_alone():
    assert tokenize("Don't tie E_in, ever!") == ["don't", "tie", "e_in", ",", "ever", "!", EOS]


def test_every_line_ends_in_eos_and_an_empty_line_is_only_that():
    assert tokenize("a\n\nb\n") == ["a", EOS, EOS, "b", EOS]
    assert tokenize("a") == tokenize("a\n")


def test_an_unknown_word_already_marked_stays_one_token():
    assert tokenize(f"the {UNK} of") == ["the", UNK, "of", EOS]


def test_words_already_set_apart_are_taken_as_they_stand():
    assert tokenize("N.Y. 's <unk>\n", "space") == ["N.Y.", "'s", UNK, EOS]


@given(st.lists(lines, min_size=1))
def test_characters_give_back_the_text(given_lines):
    text = "\n".join(given_lines) + "\n"
    assert join(tokenize(text, "char"), "char") == text


@given(lines, st.sampled_from(sorted(TOKENIZERS)))
def test_no_token_is_empty_or_holds_a_line_end(line, tokenizer):
    tokens = tokenize(line, tokenizer)
    assert (tokens[-1] == EOS and EOS not in tokens[:-1]) or EOS in line
    assert all(token and "\n" not in token for token in tokens)


@given(lines)
def test_words_survive_a_second_reading(line):
    tokens = tokenize(line)
    assert tokenize(join(tokens)) == tokens


def test_an_unknown_tokenizer_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match="word, char, space; got 'wrd'"):
        tokenize("a", "wrd")
