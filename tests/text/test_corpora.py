"""The corpora: sizes, splits, and no sentence of the test text in the training text."""

import re

import numpy as np
import pytest

from tinytie.text.corpora import classes_corpus, file_corpus, text_corpus, topics_corpus
from tinytie.text.splits import split_lines
from tinytie.text.tokenizers import EOS, UNK
from tinytie.text.topics import once_only, paragraphs, topics_text


@pytest.fixture(scope="module")
def topics():
    return topics_text()


def test_the_topics_are_split_about_eighty_ten_ten(topics):
    sizes = np.array([len(part) for part in topics])
    shares = sizes / sizes.sum()
    assert sizes.sum() > 200_000
    assert shares[0] > 0.6 and (shares[1:] >= 0.1).all()


def test_no_paragraph_is_in_two_parts(topics):
    train, valid, test = (set(part.split("\n")) for part in topics)
    assert train and valid and test
    assert not train & valid and not train & test and not valid & test


def test_the_split_is_drawn_by_its_seed(topics):
    assert topics_text(seed=0) == topics and topics_text(seed=1) != topics


def test_a_paragraph_of_an_earlier_topic_is_left_out():
    kept = list(once_only({"b": "one\n\ntwo\n", "a": "two\n\n\ntwo\n"}))
    assert kept == ["two", "one"]


def test_paragraphs_are_unwrapped_and_rules_dropped():
    text = "A title\n*******\n\n   wrapped\n   text\n \n-----\n"
    assert list(paragraphs(text)) == ["A title", "wrapped text"]


def test_the_topics_corpus_reads_as_english():
    corpus = topics_corpus()
    assert {"the", "class", ",", UNK, EOS} <= set(corpus.vocabulary.words)
    assert 0 < corpus.unknown < 0.2
    assert corpus.entropy is None
    for ids in (corpus.train, corpus.valid, corpus.test):
        assert ids.min() >= 0 and ids.max() < len(corpus.vocabulary)


def test_the_vocabulary_is_that_of_the_training_text_alone():
    corpus = text_corpus("here", ("a a a b", "a z", "z"), min_count=1)
    assert "z" not in corpus.vocabulary.ids
    assert corpus.vocabulary.decode(corpus.test) == [UNK, EOS]


def test_a_text_is_split_in_order_at_line_ends():
    text = "".join(f"line {i}\n" for i in range(100))
    parts = split_lines(text)
    assert "".join(parts) == text
    assert all(part.endswith("\n") for part in parts)
    assert [part.count("\n") for part in parts] == pytest.approx([80, 10, 10], abs=2)


def test_a_text_of_one_line_is_split_between_words():
    text = "word " * 100
    parts = split_lines(text)
    assert "".join(parts) == text and all(part.startswith("word") for part in parts)


@pytest.mark.parametrize("text", ["a", "ab\n"])
def test_a_text_too_short_for_three_parts_is_told(text):
    with pytest.raises(ValueError, match="too short to be split"):
        split_lines(text)


def test_files_of_ones_own_are_used_or_split(tmp_path):
    for name, words in {"a": "the cat sat\n" * 50, "b": "the cat\n", "c": "the dog\n"}.items():
        (tmp_path / name).write_text(words)
    corpus = file_corpus(tmp_path / "a", tmp_path / "b", tmp_path / "c")
    assert corpus.vocabulary.decode(corpus.test) == ["the", UNK, EOS]
    split = file_corpus(tmp_path / "a")
    assert len(split.train) + len(split.valid) + len(split.test) == 200
    with pytest.raises(ValueError, match="both a validation and a test file, or neither"):
        file_corpus(tmp_path / "a", valid=tmp_path / "b")


def test_a_text_in_which_every_word_is_rare_is_told():
    with pytest.raises(ValueError, match="no word of the text occurs 3 times"):
        text_corpus("here", ("one two three", "one", "two"))


def test_control_characters_are_ordinary_characters_of_a_text():
    corpus = text_corpus("here", ("\x1b[2J\x0c", "\x1b", "a"), "char")
    assert "\x1b" in corpus.vocabulary.ids and "\x0c" in corpus.vocabulary.ids


def test_words_of_the_classes_corpus_are_all_in_its_vocabulary():
    corpus = classes_corpus(2_000)
    assert UNK not in corpus.vocabulary.ids
    assert [len(part) for part in corpus[3:6]] == [1600, 200, 200]
    assert all(re.fullmatch(r"[a-z]{2}\d+|<eos>", word) for word in corpus.vocabulary.words)
