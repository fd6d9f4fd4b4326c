"""The format reader and writer: files by other hands, files by hand, and files that lie."""

import json
import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytie import CheckpointError
from tinytie.files.safetensors import DTYPES, read_arrays, write_arrays

# what version 0.8.0 of the format's own library writes for three arrays
ELSEWHERE = (
    b"\xc8\x00\x00\x00\x00\x00\x00\x00"
    b'{"__metadata__":{"who":"elsewhere"},"b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},'
    b'"a":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]},'
    b'"c":{"dtype":"BOOL","shape":[],"data_offsets":[24,25]}}'
    b"\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x01"
)

# cheap inputs: 200 of each kind in CI, 10,000 in the long profile
fuzz = settings(max_examples=10 * settings().max_examples)

A_FLOAT = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


def by_hand(header, data=b"\0\0\0\0"):
    """A file with any header, a JSON value or text."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.safetensors"


def written(path, arrays, metadata=None):
    with open(path, "wb") as file:
        write_arrays(file, arrays, metadata or {})
    return path.read_bytes()


def refused(path, content):
    path.write_bytes(content)
    with pytest.raises(CheckpointError) as caught:
        read_arrays(path)
    assert caught.value.path == str(path)
    return str(caught.value)


def test_a_file_by_the_formats_own_library_is_read(path):
    path.write_bytes(ELSEWHERE)
    arrays, metadata = read_arrays(path)
    assert metadata == {"who": "elsewhere"}
    assert list(arrays) == ["b", "a", "c"]
    assert arrays["a"].dtype == np.float32 and arrays["a"].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert arrays["b"].dtype == np.int64 and arrays["b"].tolist() == [7]
    assert arrays["c"].dtype == bool and arrays["c"].shape == () and arrays["c"]


def test_a_written_file_is_what_the_format_says_byte_by_byte(path):
    a, b = np.arange(6.0).reshape(2, 3), np.array([1, 2], np.int32)
    content = written(path, {"b": b, "a": a}, {"key": "value"})
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    assert header.pop("__metadata__")["key"] == "value"
    assert header == {
        "a": {"dtype": "F64", "shape": [2, 3], "data_offsets": [0, 48]},
        "b": {"dtype": "I32", "shape": [2], "data_offsets": [48, 56]},
    }
    assert data == a.astype("<f8").tobytes() + b.astype("<i4").tobytes()


@pytest.mark.parametrize("code", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (0, 4), (2, 3, 2)])
def test_every_dtype_and_shape_comes_back(path, code, shape):
    rng = np.random.default_rng(0)
    array = rng.integers(0, 2, shape).astype(DTYPES[code])
    written(path, {"x": array})
    found = read_arrays(path)[0]["x"]
    assert found.dtype == array.dtype and found.shape == shape and found.flags.owndata
    assert np.array_equal(found, array)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.arange(12.0)[::2],
        np.arange(12.0).reshape(3, 4)[:, ::-1],
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.broadcast_to(np.array([1.0, 2.0]), (3, 2)),
        np.arange(6, dtype=">f4").reshape(2, 3),
    ],
    ids=["transposed", "strided", "reversed", "fortran", "broadcast", "big-endian"],
)
def test_a_view_is_written_by_its_values_not_as_it_lies(path, array):
    written(path, {"x": array})
    assert np.array_equal(read_arrays(path)[0]["x"], array)


def test_every_array_starts_at_a_multiple_of_its_item(path):
    arrays = {str(i): np.ones(3, kind) for i, kind in enumerate(["i1", "f4", "?", "f8", "i2"])}
    content = written(path, arrays)
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    for name, array in arrays.items():
        assert (8 + length + header[name]["data_offsets"][0]) % array.itemsize == 0


@pytest.mark.parametrize("kind", ["O", "c16", "U3", "M8[s]", "longdouble"])
def test_a_dtype_without_a_code_is_refused_by_name(path, kind):
    with pytest.raises(CheckpointError, match=r"tensor 'x': dtype .* is none of F64"):
        written(path, {"x": np.zeros(2, kind)})
    assert path.read_bytes() == b""


LIES = {
    "empty": (b"", "cut short"),
    "half a length": (b"\x01\x00\x00", "cut short"),
    "longer than the file": (b"\xff" * 8 + b"{}", "cut short"),
    "longer than the bound": ((10**9).to_bytes(8, "little") + b"{}", "cut short"),
    "a pickle": (b"\x80\x04\x95" + b"\0" * 40, "cut short"),
    "no JSON": (by_hand(b"{oops}"), "not valid JSON"),
    "no object": (by_hand(b"[]"), "does not start with {"),
    "not UTF-8": (by_hand(b'{"\xff": 1}'), "not valid JSON: 'utf-8'"),
    "too deep": (by_hand(b'{"x":' + b"[" * 100_000), "not valid JSON"),
    "a number of 5,000 digits": (by_hand(b'{"x":' + b"1" * 5000 + b"}"), "not valid JSON"),
    "NaN": (by_hand(b'{"x": NaN}'), "NaN is no JSON number"),
    "a name twice": (by_hand(b'{"x": 1, "y": 1, "x": 2}'), "the name 'x' occurs twice"),
    "metadata of numbers": (by_hand({"__metadata__": {"a": 1}}), "must map names to strings"),
    "metadata no object": (by_hand({"__metadata__": []}), "must map names to strings"),
    "an entry that is none": (by_hand({"x": []}), "tensor 'x': its entry must hold"),
    "an entry with more": (by_hand({"x": A_FLOAT | {"more": 1}}), "its entry must hold"),
    "a dtype nobody knows": (by_hand({"x": A_FLOAT | {"dtype": "F33"}}), "dtype 'F33'"),
    "a dtype that is a list": (by_hand({"x": A_FLOAT | {"dtype": ["F32"]}}), "is none of"),
    "a negative size": (by_hand({"x": A_FLOAT | {"shape": [-1, -1]}}), "no list of sizes"),
    "a size of True": (by_hand({"x": A_FLOAT | {"shape": [True]}}), "no list of sizes"),
    "a size of 1.0": (by_hand({"x": A_FLOAT | {"shape": [1.0]}}), "no list of sizes"),
    "33 dimensions": (by_hand({"x": A_FLOAT | {"shape": [1] * 33}}), "no list of sizes"),
    "too little room": (by_hand({"x": A_FLOAT | {"shape": [2]}}), "does not fill"),
    "a vast shape": (by_hand({"x": A_FLOAT | {"shape": [2**40, 2**40]}}), "does not fill"),
    "a vast shape of nothing": (
        by_hand({"x": A_FLOAT | {"shape": [0, 2**40, 2**40], "data_offsets": [4, 4]}}),
        "too large",
    ),
    "three offsets": (by_hand({"x": A_FLOAT | {"data_offsets": [0, 4, 4]}}), "no pair"),
    "offsets backwards": (by_hand({"x": A_FLOAT | {"data_offsets": [4, 0]}}), "does not fill"),
    "a hole": (
        by_hand({"x": A_FLOAT | {"data_offsets": [1, 5]}}, b"\0" * 5),
        "tensor 'x': starts at byte 1 of the data, not 0",
    ),
    "an overlap": (
        by_hand({"x": A_FLOAT, "y": A_FLOAT | {"data_offsets": [2, 6]}}, b"\0" * 6),
        "tensor 'y': starts at byte 2 of the data, not 4",
    ),
    "the same bytes twice": (by_hand({"x": A_FLOAT, "y": A_FLOAT}), "starts at byte 0"),
    "trailing bytes": (by_hand({"x": A_FLOAT}, b"\0" * 5), "fill 4 bytes, but 5"),
    "data cut short": (by_hand({"x": A_FLOAT}, b"\0" * 3), "fill 4 bytes, but 3"),
    "a boolean of 2": (
        by_hand({"x": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]}}, b"\x02"),
        "must be 0 or 1",
    ),
}


@pytest.mark.parametrize(("content", "reason"), LIES.values(), ids=LIES)
def test_a_file_that_lies_is_refused_with_the_reason(path, content, reason):
    assert reason in refused(path, content)


def test_the_honest_neighbour_of_those_files_is_read(path):
    path.write_bytes(by_hand({"x": A_FLOAT}))
    assert read_arrays(path)[0]["x"].tolist() == [0.0]


def test_control_characters_of_a_file_are_never_printed_raw(path):
    message = refused(path, by_hand({"\x1b[2J": {}}))
    assert message.isprintable() and r"\x1b" in message


def test_a_long_name_does_not_fill_the_screen(path):
    assert len(refused(path, by_hand({"x" * 10**6: {}}))) < 500 + len(str(path))


@pytest.mark.parametrize("content", [LIES["a vast shape"][0], LIES["longer than the bound"][0]])
def test_a_lie_about_size_costs_no_memory(path, content):
    tracemalloc.start()
    refused(path, content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10**6


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(CheckpointError, match="pipe"):
        read_arrays(pipe)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="folder"):
        read_arrays(tmp_path)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing"):
        read_arrays(tmp_path / "nothing")


def read_or_refuse(tmp_path_factory, content):
    """The one error, or arrays that fit in the file; anything else fails the test."""
    path = tmp_path_factory.getbasetemp() / "fuzzed.safetensors"
    path.write_bytes(content)
    try:
        arrays, _ = read_arrays(path)
    except CheckpointError as error:
        assert str(error).isprintable()
    else:
        assert sum(array.nbytes for array in arrays.values()) <= len(content)


@fuzz
@given(content=st.binary(max_size=200))
def test_random_bytes_never_crash_the_reader(tmp_path_factory, content):
    read_or_refuse(tmp_path_factory, content)
    read_or_refuse(tmp_path_factory, by_hand(content))
    read_or_refuse(tmp_path_factory, by_hand(b"{" + content))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
numbers = st.integers(-1, 9) | st.integers()
entries = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from([*DTYPES]) | values,
        "shape": st.lists(numbers, max_size=4) | values,
        "data_offsets": st.tuples(numbers, numbers) | values,
    }
)


@fuzz
@given(
    header=st.dictionaries(st.text(max_size=3) | st.just("__metadata__"), entries | values),
    data=st.binary(max_size=20),
)
def test_random_headers_never_crash_the_reader(tmp_path_factory, header, data):
    read_or_refuse(tmp_path_factory, by_hand(header, data))


@fuzz
@given(
    place=st.integers(0, len(ELSEWHERE) - 1),
    put=st.binary(max_size=4),
    drop=st.integers(0, 4),
)
def test_a_damaged_file_never_crashes_the_reader(tmp_path_factory, place, put, drop):
    read_or_refuse(tmp_path_factory, ELSEWHERE[:place] + put + ELSEWHERE[place + drop :])
