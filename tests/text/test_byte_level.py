"""GPT-2's subwords: the table, the cut into words, merges by hand, files, and any text back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie.text.byte_level import CHARACTERS, END, ByteLevel, words
from tinytie.text.reading import reader_of

any_text = st.text(st.characters(exclude_categories=())).filter(lambda text: END not in text)
MERGES = [("t", "h"), ("Ġ", "th"), ("Ġth", "e"), ("c", "a"), ("Ġ", "ca"), ("Ġca", "t"), ("Ã", "©")]
SPELLINGS = [*CHARACTERS, *(a + b for a, b in MERGES), END]
SMALL = ByteLevel(SPELLINGS, MERGES)


def test_each_byte_has_a_printable_character_of_its_own():
    assert len({*CHARACTERS}) == 256 and all(map(str.isprintable, CHARACTERS))
    # as in the released file: a blank, a newline, a letter, é in two bytes, and the last byte
    assert [CHARACTERS[byte] for byte in b" \nA\xc3\xa9\xff"] == ["Ġ", "Ċ", "A", "Ã", "©", "ÿ"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cat's 12 hats!?", ["the", " cat", "'s", " 12", " hats", "!?"]),
        ("we'll I'VE 'tis", ["we", "'ll", " I", "'", "VE", " '", "tis"]),
        ("a  b\n\n c ", ["a", " ", " b", "\n\n", " c", " "]),
        ("x\t\ty", ["x", "\t", "\t", "y"]),
        ("héllo½Ⅷ٣日本_a", ["héllo", "½Ⅷ٣", "日本", "_", "a"]),
        ("\xa0 a\x1cb", ["\xa0", " a", "\x1c", "b"]),
    ],
)
def test_a_text_is_cut_as_the_released_pattern_cuts_it(text, expected):
    assert words(text) == expected


def test_merges_are_made_in_the_order_of_their_file():
    assert SMALL.pieces("the cat then") == ["th", "e", "␣cat", "␣the", "n"]
    assert SMALL.pieces("é") == ["é"] and SMALL.pieces("è") == ["\\xc3", "\\xa8"]
    assert SMALL.encode(f"a{END}a").tolist() == [
        SMALL.ids["a"], SMALL.ids[END], SMALL.ids["a"],
    ]  # fmt: skip


@given(any_text)
def test_any_text_comes_back_exactly(text):
    assert SMALL.decode(SMALL.encode(text)) == text
    assert "".join(words(text)) == text


def test_the_merges_follow_from_the_order_of_the_vocabulary():
    assert ByteLevel(SPELLINGS).merges == SMALL.merges == MERGES
    assert reader_of(SPELLINGS, "gpt2").merges == MERGES


def test_a_word_is_looked_up_with_its_blank_and_shown_with_an_open_box():
    row = SMALL.rows["cat"]
    assert SMALL.spellings[row] == "Ġcat" and SMALL.words[row] == "␣cat"
    assert SMALL.rows["␣cat"] == row and SMALL.rows["th"] == SMALL.ids["Ġth"]


def written(folder, vocab=None, merges=None):
    files = SMALL.files()
    (folder / "vocab.json").write_text(vocab or files["vocab.json"], encoding="utf-8")
    (folder / "merges.txt").write_text(merges or files["merges.txt"], encoding="utf-8")
    return folder


def test_the_two_files_are_read_and_written_as_they_are(tmp_path):
    again = ByteLevel.load(written(tmp_path))
    assert (again.spellings, again.merges) == (SPELLINGS, MERGES)
    assert again.files() == SMALL.files()
    assert SMALL.files()["merges.txt"].startswith("#version: 0.2\nt h\nĠ th\n")
    plain = ByteLevel.load(written(tmp_path, json.dumps(SMALL.ids, ensure_ascii=False), "t h\r\n"))
    assert plain.spellings == SPELLINGS and plain.merges == MERGES[:1]


@pytest.mark.parametrize(
    ("vocab", "merges", "message"),
    [
        ("[]", None, "0 … V − 1"),
        ('{"a": 1}', None, "0 … V − 1"),
        ('{"a": "0"}', None, "0 … V − 1"),
        ('{"a": 0}', None, "no subword for 255 of the 256 bytes"),
        ("{", None, "vocab.json"),
        (None, "a b c\n", "line 1 should hold two subwords"),
        (None, "x y\n", "needs 'xy', which has no id"),
    ],
)
def test_files_of_something_else_are_refused(vocab, merges, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        ByteLevel.load(written(tmp_path, vocab, merges))
