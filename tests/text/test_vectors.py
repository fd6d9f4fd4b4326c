"""Reading vectors: GloVe and word2vec as text, what is refused and where it stands."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytie.text.vectors import read_vectors

WORDS = ["the", "cat", "sat", "nowhere"]
GLOVE = b"the 0.5 -1 2e-3\nof 9 9 9\ncat 1 2 3\n"


def written(tmp_path, data):
    path = tmp_path / "vectors.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        GLOVE,
        b"3 3\n" + GLOVE,
        GLOVE.replace(b"\n", b" \n"),  # word2vec ends its lines with a space
        GLOVE.replace(b"\n", b"\r\n"),
        GLOVE.rstrip(b"\n"),
        b"\xef\xbb\xbf" + GLOVE,
        GLOVE + b"\n\n",
    ],
    ids=["glove", "word2vec", "spaces", "windows", "no last newline", "mark", "empty lines"],
)
def test_every_text_format_gives_the_same_vectors(data, tmp_path):
    vectors = read_vectors(written(tmp_path, data), WORDS)
    expected = [[0.5, -1, 2e-3], [1, 2, 3], [0, 0, 0], [0, 0, 0]]
    assert vectors.rows.tolist() == expected
    assert vectors.found.tolist() == [True, True, False, False]
    assert (vectors.lines, vectors.duplicates) == (3, 0)


def test_it_says_how_many_words_were_found(tmp_path):
    vectors = read_vectors(written(tmp_path, GLOVE + b"cat 7 7 7\nof 8 8 8\n"), WORDS)
    assert str(vectors) == (
        "2 of 4 words found (50.0%) among 5 vectors of width 3; "
        "1 further lines of the same words were left out"
    )


def test_the_first_of_two_lines_of_a_word_counts(tmp_path):
    vectors = read_vectors(written(tmp_path, GLOVE + b"cat 7 7 7\n"), WORDS)
    assert vectors.rows[1].tolist() == [1, 2, 3]
    assert vectors.duplicates == 1


def test_words_may_hold_spaces_and_letters_of_every_script(tmp_path):
    data = ". . . 1 2 3\nмир 4 5 6\nno\u00a0break 7 8 9\n\u2028 1 1 1\n".encode()
    data = b"the 0 0 1\n" + data
    vectors = read_vectors(written(tmp_path, data), [". . .", "мир", "no\u00a0break", "\u2028"])
    assert vectors.found.all()
    assert vectors.rows[0].tolist() == [1, 2, 3]


@given(
    st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2),
        min_size=1, max_size=5,
    ),
    st.booleans(),
)  # fmt: skip
def test_what_is_written_is_read_to_the_last_bit(tmp_path_factory, rows, header):
    lines = [f"w{i} " + " ".join(map(repr, row)) for i, row in enumerate(rows)]
    lines = [f"{len(rows)} 2"] * header + lines
    path = written(tmp_path_factory.mktemp("vectors"), "\n".join(lines).encode())
    vectors = read_vectors(path, [f"w{i}" for i in range(len(rows))])
    assert np.array_equal(vectors.rows, rows)


REFUSED = {
    "fewer numbers": (GLOVE + b"sat 1 2\n", "line 4 has 2 numbers after 'sat'; expected 3"),
    "more numbers": (GLOVE + b"sat 1 2 3 4\n", "line 4 has 4 numbers after 'sat'; expected 3"),
    "another width than the header's": (b"3 4\n" + GLOVE, "line 2 has 3 numbers after 'the'"),
    "no number at all": (b"the\ncat\n", "line 1 has 0 numbers after 'the'"),
    "tabs": (b"the\t1\t2\n", "separated by single spaces"),
    "nan": (GLOVE + b"sat 1 nan 3\n", "line 4: the vector of 'sat' holds 'nan'"),
    "inf": (GLOVE + b"sat 1 2 -inf\n", "line 4: the vector of 'sat' holds '-inf'"),
    "1e400": (GLOVE + b"sat 1e400 2 3\n", "line 4: the vector of 'sat' holds '1e400'"),
    "no number": (GLOVE + b"sat 1 x 3\n", "line 4: the vector of 'sat' holds 'x'"),
    "nan of a word nobody asked for": (GLOVE + b"dog nan 2 3\n", "line 4: the vector of 'dog'"),
    "not UTF-8": (GLOVE + b"s\xe4t 1 2 3\n", "line 4 is not UTF-8: byte 36 of the file is 0xe4"),
    "compressed": (b"\x1f\x8b\x08\x00", "line 1 is not UTF-8: byte 1 of the file is 0x8b; unpack"),
    "cut short": (b"4 3\n" + GLOVE, "holds 3 vectors, but its line 1 promises 4: the file was cut"),
    "longer than promised": (b"2 3\n" + GLOVE, "holds 3 vectors, but its line 1 promises 2"),
    "empty": (b"", "is empty"),
    "only a header": (b"0 3\n", "holds no vectors"),
}


@pytest.mark.parametrize("data", REFUSED)
def test_a_bad_file_is_refused_with_its_line(data, tmp_path):
    content, words = REFUSED[data]
    path = written(tmp_path, content)
    with pytest.raises(ValueError) as refusal:
        read_vectors(path, WORDS)
    assert words in str(refusal.value)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_byte_36_is_where_the_wrong_byte_stands():
    data, _ = REFUSED["not UTF-8"]
    assert data[36] == 0xE4


def test_a_binary_file_without_lines_is_not_read_into_memory(tmp_path):
    path = written(tmp_path, b"1" * (2**20 + 5))
    with pytest.raises(ValueError, match="line 1 has more than 1,048,576 bytes"):
        read_vectors(path, WORDS)


def test_a_missing_file_or_a_folder_is_refused(tmp_path):
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(ValueError, match="there is no file"):
            read_vectors(path, WORDS)


def test_an_empty_vocabulary_is_refused(tmp_path):
    with pytest.raises(ValueError, match="the vocabulary is empty"):
        read_vectors(written(tmp_path, GLOVE), [])


def test_progress_tells_the_bytes_read_and_ends_at_the_size(tmp_path):
    path = written(tmp_path, b"".join(b"w%d 1\n" % i for i in range(25_000)))
    told = []
    read_vectors(path, ["w1"], progress=lambda done, size: told.append((done, size)))
    size = path.stat().st_size
    assert len(told) == 3
    assert told[-1] == (size, size)
    assert told == sorted(told)


def test_a_progress_that_stops_the_reading_leaves_the_file_closed(tmp_path):
    path = written(tmp_path, GLOVE)

    def stop(done, size):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_vectors(path, WORDS, progress=stop)
    path.unlink()
