"""Whatever bytes a reader is given: a result, or a ValueError of one line that names the file.

A hundred inputs each, and lines of 300 kB; HYPOTHESIS_PROFILE=long tries 10,000, and 100 MB.
"""

import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tinytie.measure.similarity import read_pairs as read_scores
from tinytie.text.bpe import BPE
from tinytie.text.corpora import file_corpus
from tinytie.text.files import read_text
from tinytie.text.pairs import read_aligned, read_pairs
from tinytie.text.treebank import blank_corpus
from tinytie.text.vectors import read_vectors

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
MANY = settings(max_examples=10_000 if LONG else 100)

PIECES = [
    b"the", b"cat", b" ", b"\t", b"\n", b"\r\n", b"\r", b"\0", b"\xef\xbb\xbf", b"\xff", b"\xc3",
    b"\xed\xa0\x80", b"\x1b[2J", "é\u2028\u202e".encode(), b"1", b"-2.5", b"1e400", b"nan", b"inf",
    b"3 2\n", b"9" * 30, b"1_0", "१२".encode(), "²".encode(), b"#", b'{"format": ',
    b'"tinytie byte pairs, version 1", "merges": [[3, 4]]}', b"[" * 99,
]  # fmt: skip
CONTENT = st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join)

READERS = {
    "text": read_text,
    "pairs": read_pairs,
    "aligned": lambda path: read_aligned(path, path),
    "scores": read_scores,
    "vectors": lambda path: read_vectors(path, ["the", "cat"]),
    "merges": BPE.load,
    "words": lambda path: file_corpus(path, path, path),
    "characters": lambda path: file_corpus(path, tokenizer="char"),
    "blanks": lambda path: blank_corpus(path, path, path),
}
CORPORA = ("words", "characters", "blanks")


@pytest.mark.parametrize("reader", READERS)
@MANY
@given(CONTENT)
@example(b"9" * 5000 + b" 2\n")
@example(b"[" * 100_000)
def test_any_bytes_are_read_or_refused_in_one_sentence(reader, tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / f"fuzzed-{reader}"
    path.write_bytes(content)
    try:
        found = READERS[reader](path)
    except ValueError as refusal:
        said = str(refusal)
        assert path.name in said or reader in CORPORA
        assert "\n" not in said and "\x1b" not in said
    else:
        if reader == "vectors":
            assert np.isfinite(found.rows).all()
        if reader in CORPORA:
            assert found.train.max() < len(found.vocabulary) and len(found.test) >= 2
        if reader == "scores":
            assert np.isfinite([pair.score for pair in found.pairs]).all()
        if reader == "text":
            assert found.encode() and "\r" not in found and "\0" not in found


SIZE = 100_000_000 if LONG else 300_000
LINES = {
    "one word": b"a" * SIZE,
    "many words": b"a " * (SIZE // 2),
    "one wide character": b"a" * SIZE + "\U0001f600\r\n".encode(),
    "brackets": b"[" * SIZE,
}


@pytest.mark.parametrize("reader", [name for name in READERS if name not in CORPORA])
@pytest.mark.parametrize("line", LINES)
def test_an_endless_line_takes_memory_in_proportion_to_the_file(reader, line, tmp_path):
    path = tmp_path / "line"
    path.write_bytes(LINES[line])
    tracemalloc.start()
    try:
        READERS[reader](path)
    except ValueError as refusal:
        assert len(str(refusal)) < 500 + len(str(path))
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 13 * SIZE + 2**21


def test_a_vocabulary_that_names_a_word_twice_is_refused(tmp_path):
    path = tmp_path / "vectors"
    path.write_text("the 1 2\n")
    with pytest.raises(ValueError, match="'the' is there twice"):
        read_vectors(path, ["the", "cat", "the"])
