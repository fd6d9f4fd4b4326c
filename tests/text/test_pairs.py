"""Sentence pairs: files, their refusals, and padded batches."""

import numpy as np
import pytest

from tinytie.text.bpe import BOS, BPE, EOS, PAD
from tinytie.text.pairs import (
    PairBatches,
    encode_pairs,
    hold_out,
    padded,
    read_aligned,
    read_pairs,
)


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


@pytest.mark.parametrize("seed", [None, 0])
def test_every_pair_is_in_exactly_one_batch(seed):
    encoded = pairs(23)
    made = PairBatches(encoded, 4, seed)
    assert len(made) == 6
    assert sorted(len(source) for source, _ in made) == [3, 4, 4, 4, 4, 4]
    found = sorted(row for batch in made for row in rows(batch))
    assert found == sorted((tuple(p.source), tuple(p.target)) for p in encoded)


def test_the_order_follows_from_the_seed_and_the_epoch():
    encoded = pairs(40)
    one, other = PairBatches(encoded, 4, 7), PairBatches(encoded, 4, 7)
    first = [rows(batch) for batch in one]
    one.shuffle(3)
    other.shuffle(3)
    assert [rows(batch) for batch in one] == [rows(batch) for batch in other] != first


def test_sentences_of_like_length_are_together():
    encoded = pairs(200)
    places = sum(source.size for source, _ in PairBatches(encoded, 10, 0))
    assert places < 1.1 * sum(len(pair.source) for pair in encoded)


def test_what_is_held_out_is_never_trained_on():
    train = [(str(i % 40), "x") for i in range(80)]
    texts = hold_out(train, None, None)
    assert (len(texts.valid), len(texts.test), len(texts.train)) == (4, 4, 64)
    assert not set(texts.train) & {*texts.valid, *texts.test}
    assert not set(texts.valid) & set(texts.test)


def test_given_pairs_are_left_as_they_are():
    given = [("a", "b")]
    assert hold_out(given, given, given) == (given, given, given)


def test_too_few_pairs_to_hold_any_out_are_refused():
    with pytest.raises(ValueError, match="give at least 10 pairs"):
        hold_out([("a", "b")] * 9, None, None)


def test_each_side_carries_its_marks():
    encoded = encode_pairs([("a", "b")], BPE([]))[0]
    assert encoded.source[-1] == EOS
    assert (encoded.target[0], encoded.target[-1]) == (BOS, EOS)
