"""The format reader and writer: files by other hands, files by hand, and files that lie."""

import json
import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytie import CheckpointError
from tinytie.files.safetensors import STORED, open_arrays, write_arrays

# what version 0.8.0 of the format's own library writes for three arrays
ELSEWHERE = (
    b"\xc8\x00\x00\x00\x00\x00\x00\x00"
    b'{"__metadata__":{"who":"elsewhere"},"b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},'
    b'"a":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]},'
    b'"c":{"dtype":"BOOL","shape":[],"data_offsets":[24,25]}}'
    b"\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x01"
)
A_FLOAT = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.safetensors"


def by_hand(header, data=b"\0\0\0\0"):
    """A file with any header, a JSON value or text."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def written(path, arrays, metadata=None):
    with open(path, "wb") as file:
        write_arrays(file, arrays, metadata or {})
    return path.read_bytes()


def read(path, **options):
    with open_arrays(path, **options) as arrays:
        return dict(arrays), arrays.metadata


def test_a_file_by_the_formats_own_library_is_read(path):
    path.write_bytes(ELSEWHERE)
    arrays, metadata = read(path)
    assert metadata == {"who": "elsewhere"} and list(arrays) == ["b", "a", "c"]
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
    assert (8 + length) % 8 == 0  # so that each array lies aligned
    assert data == a.astype("<f8").tobytes() + b.astype("<i4").tobytes()


@pytest.mark.parametrize("code", [code for code in STORED if code != "BF16"])
def test_every_dtype_shape_and_view_comes_back_by_its_values(path, code):
    ones = np.random.default_rng(0).integers(0, 2, (2, 3, 4)).astype(STORED[code])
    arrays = {
        "three": ones, "two": ones[0], "vector": ones[0, 0], "scalar": ones[0, 0, 0],
        "empty": ones[:0], "transposed": ones.T, "strided": ones[:, ::2], "reversed": ones[::-1],
        "fortran": np.asfortranarray(ones), "broadcast": np.broadcast_to(ones[0], (5, 3, 4)),
        "big-endian": ones.astype(ones.dtype.newbyteorder(">")),
    }  # fmt: skip
    written(path, arrays)
    found, _ = read(path, widen=False)
    for name, array in arrays.items():
        assert found[name].dtype == STORED[code] and found[name].shape == array.shape
        assert np.array_equal(found[name], array) and found[name].flags.owndata


def test_half_precision_of_either_kind_is_widened_to_its_exact_value(path):
    bits = np.arange(2**16).astype(np.uint16)
    sign, exponent, rest = np.where(bits >> 15, -1.0, 1.0), (bits >> 7) & 0xFF, bits & 0x7F
    brain = sign * np.where(
        exponent == 0,
        np.ldexp(rest / 128, -126),
        np.ldexp(1 + rest / 128, exponent.astype(int) - 127),
    )
    half = bits.view(np.float16)
    for code, values in {"BF16": brain, "F16": half.astype(float)}.items():
        usable = np.isfinite(half) if code == "F16" else exponent < 255
        data = bits[usable].astype("<u2").tobytes()
        entry = {"dtype": code, "shape": [len(data) // 2], "data_offsets": [0, len(data)]}
        path.write_bytes(by_hand({"x": entry}, data))
        found = read(path)[0]["x"]
        assert found.dtype == np.float32 and np.array_equal(found, values[usable])
        path.write_bytes(by_hand({"x": entry}, data[:-2] + bits[~usable][:1].tobytes()))
        assert "tensor 'x': holds numbers that are not finite" in refused(path)


def peak_of(work):
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def read_one_by_one(path):
    with open_arrays(path) as arrays:
        return [arrays[name].sum() for name in arrays]


@pytest.mark.parametrize("code", ["BF16", "F16", "F32"])
def test_reading_array_by_array_takes_no_more_memory_than_one_of_them(path, code):
    size = 500_000 * STORED[code].itemsize
    entries = {
        str(i): {"dtype": code, "shape": [500, 1000], "data_offsets": [i * size, (i + 1) * size]}
        for i in range(8)
    }
    path.write_bytes(by_hand(entries, bytes(8 * size)))
    assert peak_of(lambda: read_one_by_one(path)) < 8 * size
    if code == "F32":
        assert peak_of(lambda: read(path)) < 1.5 * 8 * size


def test_only_what_is_asked_for_is_read(path):
    nan = np.array([np.nan], "<f4").tobytes()
    entries = {"x": A_FLOAT, "y": A_FLOAT | {"data_offsets": [4, 8]}}
    path.write_bytes(by_hand(entries, b"\0\0\0\0" + nan))
    with open_arrays(path) as arrays:
        assert arrays["x"] == 0 and "y" in arrays and len(arrays) == 2 and "z" not in arrays
    assert "tensor 'y': holds numbers that are not finite" in refused(path)


@pytest.mark.parametrize(
    ("array", "reason"),
    [(np.zeros(2, kind), "dtype .* is none of F64") for kind in ("O", "c8", "U3", "M8[s]", "g")]
    + [(np.array([0, bad]), "not finite") for bad in (np.nan, np.inf, -np.inf)],
)
def test_what_has_no_place_in_the_format_is_refused_before_the_first_byte(path, array, reason):
    with pytest.raises(CheckpointError, match=f"tensor 'x': .*{reason}"):
        written(path, {"fine": np.zeros(1), "x": array})
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
    "an overlap": (
        by_hand({"x": A_FLOAT, "y": A_FLOAT | {"data_offsets": [2, 8]}}, b"\0" * 8),
        "tensor 'y': should fill the bytes 4 to 8 of the data, a F32 of shape (1,)",
    ),
    "the same bytes twice": (by_hand({"x": A_FLOAT, "y": A_FLOAT}), "but is said to fill 0 to 4"),
    "trailing bytes": (by_hand({"x": A_FLOAT}, b"\0" * 5), "fill 4 bytes, but 5"),
    "data cut short": (by_hand({"x": A_FLOAT}, b"\0" * 3), "fill 4 bytes, but 3"),
    "a boolean of 2": (
        by_hand({"x": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]}}, b"\x02"),
        "must be 0 or 1",
    ),
    "a control character": (by_hand({"\x1b[2J": {}}), r"\x1b"),
    "a long name": (by_hand({"x" * 10**6: {}}), "its entry must hold"),
}


def refused(path):
    with pytest.raises(CheckpointError) as caught:
        read(path)
    assert caught.value.path == str(path)
    return str(caught.value)


@pytest.mark.parametrize(("content", "reason"), LIES.values(), ids=LIES)
def test_a_file_that_lies_is_refused_with_the_reason_at_no_cost(path, content, reason):
    path.write_bytes(content)
    message = refused(path)
    assert reason in message and message.isprintable() and len(message) < 500 + len(str(path))
    assert peak_of(lambda: refused(path)) < 10**6 + 20 * len(content)


def test_a_header_beyond_the_bound_is_not_even_read(path):
    path.write_bytes((150_000_000).to_bytes(8, "little"))
    os.truncate(path, 200_000_000)  # which takes no room on the disk
    assert "announce a header of 150000000" in refused(path)


WRONG = [
    None, True, 0, 1.0, "", "F33", "F8_E4M3", {}, ["F32"], [-1], [True], [1.0], ["1"], [2], [[1]],
    [1] * 33, [2**40, 2**40], [0, 2**40, 2**40], [2**64], [0], [0, 4, 4], [4, 0], [1, 5], [2, 4],
    [0, 5], [0, 3], [-4, 0], [0.0, 4.0], [False, 4],
]  # fmt: skip


@pytest.mark.parametrize("field", [*A_FLOAT, "more"])
def test_an_entry_with_one_field_changed_or_lost_is_refused_but_its_honest_neighbour_read(
    path, field
):
    path.write_bytes(by_hand({"x": A_FLOAT}))
    assert read(path)[0]["x"].tolist() == [0.0]
    entries = [A_FLOAT | {field: wrong} for wrong in WRONG]
    entries += [{name: A_FLOAT[name] for name in A_FLOAT if name != field}] * (field in A_FLOAT)
    for entry in entries:
        path.write_bytes(by_hand({"x": entry}))
        assert "tensor 'x': " in refused(path)


def test_what_is_no_plain_file_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "pipe" in refused(tmp_path / "pipe") and "folder" in refused(tmp_path)
    with pytest.raises(FileNotFoundError, match="nothing"):
        read(tmp_path / "nothing")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
numbers = st.integers(-1, 9) | st.integers()
entries = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from([*STORED]) | values,
        "shape": st.lists(numbers, max_size=4) | values,
        "data_offsets": st.tuples(numbers, numbers) | values,
    }
)
headers = st.dictionaries(st.text(max_size=3) | st.just("__metadata__"), entries | values)
damaged = st.builds(
    lambda place, put, drop: ELSEWHERE[:place] + put + ELSEWHERE[place + drop :],
    st.integers(0, len(ELSEWHERE) - 1), st.binary(max_size=4), st.integers(0, 4),
)  # fmt: skip
noise = st.binary(max_size=200)
contents = noise | st.builds(by_hand, noise | headers, st.binary(max_size=20)) | damaged


@settings(max_examples=30 * settings().max_examples)
@given(content=contents)
def test_whatever_a_file_holds_it_is_read_or_the_one_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "fuzzed.safetensors"
    path.write_bytes(content)
    try:
        arrays, _ = read(path)
    except CheckpointError as error:
        assert str(error).isprintable()
    else:
        assert sum(array.nbytes for array in arrays.values()) <= 2 * len(content)
