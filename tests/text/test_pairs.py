"""Sentence pairs: files, their refusals, and padded batches."""

import numpy as np
import pytest

from tinytie.text.bpe import BOS, BPE, EOS, PAD
from tinytie.text.pairs import batches, encode_pairs, padded, read_aligned, read_pairs


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_pairs(tmp_path):
    path = written(tmp_path / "pairs.tsv", "one\tun\n\n two \t deux\u2028 \n")
    assert read_pairs(path) == [("one", "un"), ("two", "deux")]


@pytest.mark.parametrize(("line", "tabs"), [("one un", 0), ("one\tun\tuno", 2)])
def test_a_line_without_exactly_one_tab_is_named(tmp_path, line, tabs):
    path = written(tmp_path / "pairs.tsv", f"two\tdeux\n{line}\n")
    with pytest.raises(ValueError, match=f"line 2 has {tabs} tabs"):
        read_pairs(path)


def test_two_aligned_files(tmp_path):
    source = written(tmp_path / "a.en", "one\n\nthree\n")
    target = written(tmp_path / "a.fr", "un\n\ntrois")
    assert read_aligned(source, target) == [("one", "un"), ("", ""), ("three", "trois")]


def test_files_of_different_lengths_are_refused_with_both_counts(tmp_path):
    source = written(tmp_path / "a.en", "one\ntwo\nthree\n")
    target = written(tmp_path / "a.fr", "un\ndeux\n")
    with pytest.raises(ValueError, match=r"a\.en' has 3 lines but .*a\.fr' has 2"):
        read_aligned(source, target)


def test_padding_stands_at_the_end_of_the_shorter_rows():
    assert padded([[5, 6, 7], [8]]).tolist() == [[5, 6, 7], [8, PAD, PAD]]


def pairs(n):
    bpe = BPE([])
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 9, (n, 2))
    return encode_pairs([("a" * i, "b" * j) for i, j in lengths], bpe)


def rows(batch):
    source, target = batch
    return [
        (tuple(s[s != PAD].tolist()), tuple(t[t != PAD].tolist()))
        for s, t in zip(source, target, strict=True)
    ]


@pytest.mark.parametrize("rng", [None, 0])
def test_every_pair_is_in_exactly_one_batch(rng):
    encoded = pairs(23)
    rng = None if rng is None else np.random.default_rng(rng)
    made = list(batches(encoded, 4, rng))
    assert sorted(len(source) for source, _ in made) == [3, 4, 4, 4, 4, 4]
    found = sorted(row for batch in made for row in rows(batch))
    assert found == sorted((tuple(p.source), tuple(p.target)) for p in encoded)


def test_sentences_of_like_length_are_together():
    encoded = pairs(200)
    places = sum(source.size for source, _ in batches(encoded, 10, np.random.default_rng(0)))
    assert places < 1.1 * sum(len(pair.source) for pair in encoded)


def test_each_side_carries_its_marks():
    encoded = encode_pairs([("a", "b")], BPE([]))[0]
    assert encoded.source[-1] == EOS
    assert (encoded.target[0], encoded.target[-1]) == (BOS, EOS)
