"""Files in the format of the Penn Treebank."""

import pytest

from tinytie.text.treebank import FILES, blank_corpus, is_penn_treebank, treebank_corpus


def written(tmp_path, train, valid=" the end \n", test=" the end \n"):
    for name, text in zip(FILES, (train, valid, test), strict=True):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_words_are_in_order_of_frequency_then_alphabet(tmp_path):
    folder = written(tmp_path, " the cat the <unk> \n b the end \n")
    corpus = treebank_corpus(folder)
    assert corpus.vocabulary.words == ["the", "<eos>", "<unk>", "b", "cat", "end"]
    assert corpus.vocabulary.decode(corpus.train) == [
        "the", "cat", "the", "<unk>", "<eos>", "b", "the", "end", "<eos>",
    ]  # fmt: skip


def test_nothing_is_lowered_or_split(tmp_path):
    corpus = treebank_corpus(written(tmp_path, "N.Y. n't The 's\n", "N.Y.\n", "The\n"))
    assert {"N.Y.", "n't", "The", "'s"} < set(corpus.vocabulary.words)


def test_a_word_of_the_test_text_alone_is_unknown(tmp_path):
    corpus = treebank_corpus(written(tmp_path, "a <unk> b\n", "a\n", "zebra\n"))
    assert corpus.vocabulary.decode(corpus.test) == ["<unk>", "<eos>"]


def test_without_unk_it_is_named(tmp_path):
    with pytest.raises(ValueError, match="'zebra' is not in the vocabulary"):
        treebank_corpus(written(tmp_path, "a b\n", "a\n", "zebra\n"))


def test_a_missing_file_is_named(tmp_path):
    (written(tmp_path, "a\n") / FILES[2]).unlink()
    with pytest.raises(ValueError, match=r"missing \['ptb.test.txt'\]"):
        treebank_corpus(tmp_path)


def test_any_three_files_will_do_and_are_not_taken_for_the_treebank(tmp_path):
    written(tmp_path, "a the end\n")
    corpus = blank_corpus(*[tmp_path / name for name in FILES])
    assert len(corpus.valid) == 3 and not is_penn_treebank(corpus)
