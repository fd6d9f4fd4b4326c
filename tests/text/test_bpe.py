"""Byte pairs: merges worked by hand, and exact round trips of any text."""

import json
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tinytie.text.bpe import BPE, byte_ids, shared_subwords, words
from tinytie.text.merges import apply_merge, learn_merges

A, B, C, D, SPACE = (byte_ids(letter)[0] for letter in "abcd ")
any_text = st.text(st.characters(exclude_categories=()))  # lone surrogates too
SHORT = BPE.learn(["the cat sat on the mat, the rat sat too; l'été à Paris: 12 345"], 40)


def test_the_merges_of_two_words_by_hand():
    # " aaab", " aab": aa three times, then ␣+aa twice, then nothing twice
    assert BPE.learn(["aaab aab"], 10).merges == [(A, A), (SPACE, 259)]


def test_pairs_of_the_same_count_are_merged_from_the_smallest_ids():
    merges = BPE.learn(["ab cd", "ab cd"], 10).merges
    assert merges == [(SPACE, A), (SPACE, C), (259, B), (260, D)]


def test_encoding_makes_the_earliest_merge_first():
    bpe = BPE([(B, C), (A, B), (A, 259)])
    assert bpe.encode("abc") == [SPACE, 261]  # bc before ab, so that a is free to join it
    assert bpe.encode("abab") == [SPACE, 260, 260]
    assert [bpe.spell(i) for i in bpe.encode("abc")] == ["␣", "abc"]


def test_three_of_a_kind_merge_from_the_left():
    assert apply_merge([A, A, A], (A, A), 259) == [259, A]
    assert apply_merge([A, A, A, A], (A, A), 259) == [259, 259]


def test_learning_stops_at_the_number_asked_for():
    assert BPE.learn(["ab cd", "ab cd"], 2).merges == [(SPACE, A), (SPACE, C)]
    assert BPE.learn([], 5).vocab_size == 259


def merges_by_recounting(counts, n_merges, first_id):
    merges, words = [], dict(counts)
    for new in range(first_id, first_id + n_merges):
        pairs = Counter()
        for word, n in words.items():
            for pair in pairwise(word):
                pairs[pair] += n
        if not pairs or max(pairs.values()) < 2:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        merged = Counter()
        for word, n in words.items():
            merged[tuple(apply_merge(list(word), best, new))] += n
        words = merged
    return merges


@given(st.dictionaries(st.lists(st.integers(0, 3), max_size=8).map(tuple), st.integers(1, 5)))
def test_the_counts_kept_up_to_date_equal_counts_made_anew(counts):
    assert learn_merges(counts, 12, 100) == merges_by_recounting(counts, 12, 100)


@given(any_text)
@example("")
@example("  two  spaces\t\n\nand lines \r\n ")
@example("\ud800\udc00 \ud83d")
@example("naïve e\u0301 𝒳 👩‍👩‍👧 日本 \0 \u2028")
def test_any_text_comes_back_exactly(text):
    assert SHORT.decode(SHORT.encode(text)) == text


@given(st.lists(any_text, max_size=4), st.integers(0, 30), any_text)
def test_whatever_was_learned_any_text_comes_back(texts, n_merges, text):
    bpe = BPE.learn(texts, n_merges)
    assert bpe.decode(bpe.encode(text)) == text
    assert all(3 <= i < bpe.vocab_size for i in bpe.encode(text))


@given(any_text)
def test_the_words_of_a_text_leave_nothing_out(text):
    assert "".join(words(text)) == " " + text


def test_a_word_has_the_same_subwords_wherever_it_stands():
    assert SHORT.encode("the cat") == SHORT.encode("the") + SHORT.encode("cat")


def test_a_text_seen_often_becomes_shorter():
    assert len(SHORT.encode("the cat sat")) < len("the cat sat")


def test_special_ids_and_broken_bytes_decode_to_something_readable():
    assert SHORT.decode([1, *SHORT.encode("the"), 2, 0]) == "the"
    assert SHORT.decode([3 + 0xC3]) == "\ufffd"
    assert [SHORT.spell(i) for i in (0, 1, 2)] == ["<pad>", "<bos>", "<eos>"]


def test_a_saved_file_gives_the_same_subwords(tmp_path):
    path = tmp_path / "subwords.json"
    SHORT.save(path)
    other = BPE.load(path)
    assert other.merges == SHORT.merges
    assert other.encode("the rat") == SHORT.encode("the rat")


GOOD = "tinytie byte pairs, version 1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a file of byte-pair merges"),
        (b"\xff\xfe", "is not a file of byte-pair merges"),
        (b"[" * 100_000, "is not a file of byte-pair merges"),
        (b'{"format": "other"}', "its format should be"),
        (json.dumps({"format": GOOD}).encode(), "pairs of whole numbers"),
        (json.dumps({"format": GOOD, "merges": [[3, 4.5]]}).encode(), "pairs of whole numbers"),
        (json.dumps({"format": GOOD, "merges": [[3, 4, 5]]}).encode(), "pairs of whole numbers"),
        (json.dumps({"format": GOOD, "merges": [[3, 300]]}).encode(), "not both known yet"),
        (json.dumps({"format": GOOD, "merges": [[0, 3]]}).encode(), "not both known yet"),
        (json.dumps({"format": GOOD, "merges": [[3, 4], [3, 4]]}).encode(), "merged twice"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, content, message):
    path = tmp_path / "subwords.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        BPE.load(path)


def test_the_share_of_subwords_that_both_sides_use():
    assert shared_subwords([[3, 4, 2]], [[1, 4, 5, 2]]) == pytest.approx(1 / 3)
    assert shared_subwords([[2]], [[1, 2]]) == 0
