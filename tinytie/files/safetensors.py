"""The safetensors format, read and written strictly. Most frameworks open these files.

    8 bytes    the length of the header, little-endian
    header     JSON: name -> {"dtype", "shape", "data_offsets"}, and "__metadata__": name -> string
    data       the arrays, little-endian, row by row, one after the other without a gap

Format: https://huggingface.co/docs/safetensors. A file written here begins its metadata with a
SHA-256 over the whole file, taken with zeros in the digest's own place.
"""

import contextlib
import hashlib
import json
import math
import os
import stat
from collections import UserDict
from collections.abc import Iterator
from io import BufferedReader
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tinytie.errors import CheckpointError, quoted
from tinytie.files.strict_json import strict_json

CODES = {
    np.dtype(kind): code
    for kind, code in {
        "<f8": "F64", "<f4": "F32", "<f2": "F16", "<i8": "I64", "<i4": "I32", "<i2": "I16",
        "i1": "I8", "<u8": "U64", "<u4": "U32", "<u2": "U16", "u1": "U8", "?": "BOOL",
    }.items()
}  # fmt: skip
STORED = {code: dtype for dtype, code in CODES.items()} | {"BF16": np.dtype("<u2")}

MAX_HEADER = 100_000_000  # bytes, the bound that the format's own library sets
MAX_DIMENSIONS = 32
BLOCK = 2**18  # numbers that are read at a time

ZEROS = b"0" * 64
SIGNED = b'{"__metadata__":{"sha256":"'  # how every header written here begins
DIGEST = slice(8 + len(SIGNED), 8 + len(SIGNED) + 64)  # where the digest stands in the file


class Tensor(NamedTuple):
    """What the header says of one array."""

    code: str
    dtype: np.dtype  # as stored; BF16, which NumPy does not have, as two bytes
    shape: tuple[int, ...]
    start: int  # the bytes start … stop − 1 of the data
    stop: int


@contextlib.contextmanager
def open_arrays(path: str | os.PathLike[str], *, widen: bool = True) -> Iterator["Arrays"]:
    """Name -> array of any safetensors file, whoever wrote it.

        with open_arrays("model.safetensors") as arrays:
            E = arrays["transformer.wte.weight"]

    Opening reads the header alone; an array is read when it is asked for, and belongs to whoever
    asked. Half precision, F16 and BF16, becomes float32; widen=False leaves F16 as it is.

    Raises CheckpointError, naming file, array and reason, where the header breaks the format or an
    array holds a number that is not finite; OSError on a file that cannot be read.
    """
    with naming(path):
        if not stat.S_ISREG(os.stat(path).st_mode):  # to open a pipe is to wait for its other end
            raise CheckpointError("this is a folder, a device or a pipe; a file is needed")
        with open(path, "rb") as file:
            yield Arrays(file, widen)


@contextlib.contextmanager
def naming(path):
    """Every CheckpointError from inside names the file."""
    try:
        yield
    except CheckpointError as error:
        error.path = os.fsdecode(path)
        raise
    except RecursionError:
        reason = "something in it is nested too deeply, or contains itself"
        raise CheckpointError(reason, path=os.fsdecode(path)) from None


class Arrays(UserDict[str, Any]):
    """The arrays of an open file, each read from the disk whenever it is asked for."""

    def __init__(self, file: BufferedReader, widen: bool) -> None:
        self.file = file
        self.header, self.tensors, self.metadata = read_header(file)
        self.data = self.tensors
        self.widened = ("BF16", "F16") if widen else ("BF16",)

    def __getitem__(self, name: str) -> np.ndarray:
        tensor = self.tensors[name]
        array = np.empty(tensor.shape, "<f4" if tensor.code in self.widened else tensor.dtype)
        flat = array.reshape(-1)
        self.file.seek(len(self.header) + tensor.start)
        for first in range(0, flat.size, BLOCK):
            block = flat[first : first + BLOCK]
            block[...] = read_numbers(self.file, name, tensor, block.size)
        return array

    def check_digest(self) -> None:
        """Raises CheckpointError unless the file carries its own SHA-256."""
        unsigned = self.header[: DIGEST.start] + ZEROS + self.header[DIGEST.stop :]
        self.file.seek(len(self.header))
        digest = hashlib.file_digest(self.file, lambda: hashlib.sha256(unsigned))
        if self.header[DIGEST] != digest.hexdigest().encode():
            raise CheckpointError(
                "the file has changed since it was written: its SHA-256 is not the one it carries"
            )


def read_header(file):
    """The header's bytes, the tensors and the metadata, all checked against the file's size."""
    size = os.fstat(file.fileno()).st_size
    first = file.read(8)
    length = int.from_bytes(first, "little")
    if len(first) < 8 or length > min(size - 8, MAX_HEADER):
        raise CheckpointError(
            f"not a safetensors file, or cut short: its {size} bytes announce a header of {length}"
        )
    raw = file.read(length)
    entries = strict_json(raw, "the header")
    if not raw.startswith(b"{"):
        raise CheckpointError("not a safetensors file: the header does not start with {")
    metadata = entries.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise CheckpointError("__metadata__ must map names to strings")
    tensors = {name: checked_tensor(name, entry) for name, entry in entries.items()}
    check_places(tensors, size - 8 - length)
    return first + raw, tensors, metadata


def checked_tensor(name, entry):
    """One array's entry, with values of the kinds that the format has."""
    match entry:
        case {"dtype": code, "shape": [*shape], "data_offsets": [start, stop], **rest} if (
            not rest and all(type(n) is int and 0 <= n < 2**63 for n in (*shape, start, stop))
        ):
            pass
        case _:
            reason = f"its entry must hold dtype, shape and data_offsets, it is {quoted(entry)}"
            raise CheckpointError(reason, name)
    if not isinstance(code, str) or code not in STORED:
        raise CheckpointError(f"dtype {quoted(code)} is none of {', '.join(STORED)}", name)
    if len(shape) > MAX_DIMENSIONS or math.prod(n or 1 for n in shape) >= 2**60:
        raise CheckpointError(f"shape {quoted(shape)} is too large for an array", name)
    return Tensor(code, STORED[code], tuple(shape), start, stop)


def check_places(tensors, data_size):
    """Each array has as many bytes as its shape needs, and together they are all of the data."""
    place = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: item[1][-2:]):
        start, place = place, place + math.prod(tensor.shape) * tensor.dtype.itemsize
        if (tensor.start, tensor.stop) != (start, place):
            raise CheckpointError(
                f"should fill the bytes {start} to {place} of the data, a {tensor.code} of shape "
                f"{tensor.shape}, but is said to fill {tensor.start} to {tensor.stop}", name,
            )  # fmt: skip
    if place != data_size:
        raise CheckpointError(f"the arrays fill {place} bytes, but {data_size} follow the header")


def read_numbers(file, name, tensor, count):
    """The next numbers of an array; those of BF16, the upper halves of float32, as float32."""
    raw = file.read(count * tensor.dtype.itemsize)
    if len(raw) < count * tensor.dtype.itemsize:
        raise CheckpointError("the file ends inside it", name)
    if tensor.code == "BOOL" and max(raw) > 1:
        raise CheckpointError("a byte of BOOL must be 0 or 1", name)
    numbers = np.frombuffer(raw, tensor.dtype)
    if tensor.code == "BF16":
        numbers = (numbers.astype("<u4") << 16).view("<f4")
    return finite(name, numbers)


def finite(name, array):
    """The array, none of whose numbers is inf or nan: a model with one would be a dead end."""
    if not np.isfinite(array).all():
        raise CheckpointError("holds numbers that are not finite", name)
    return array


def write_arrays(file: BinaryIO, arrays: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    """Write all arrays, the widest dtype first so that each lies aligned, and sign the file.

    Raises CheckpointError, before the first byte, on a dtype that the format does not have or a
    number that is not finite.
    """
    plain = {name: row_by_row(name, array) for name, array in arrays.items()}
    plain = dict(sorted(plain.items(), key=lambda item: -item[1].itemsize))
    header = header_bytes(plain, metadata)
    digest = hashlib.sha256(header)
    for array in plain.values():
        digest.update(as_bytes(array))
    file.write(header[: DIGEST.start] + digest.hexdigest().encode() + header[DIGEST.stop :])
    for array in plain.values():
        file.write(as_bytes(array))


def row_by_row(name, array):
    """The array little-endian and C-contiguous; a transposed view would be written as it lies."""
    dtype = array.dtype.newbyteorder("<")
    if dtype not in CODES:
        raise CheckpointError(f"dtype {array.dtype} is none of {', '.join(STORED)}", name)
    return np.ascontiguousarray(finite(name, array), dtype).reshape(array.shape)  # () stays ()


def as_bytes(array):
    """The memory of an array that lies row by row; not a copy."""
    return array.reshape(-1).view(np.uint8)


def header_bytes(arrays, metadata):
    """The length and the header, with zeros for the digest."""
    entries: dict[str, Any] = {"__metadata__": {"sha256": ZEROS.decode()} | metadata}
    place = 0
    for name, array in arrays.items():
        start, place = place, place + array.nbytes
        entry = {"dtype": CODES[array.dtype], "shape": array.shape, "data_offsets": (start, place)}
        entries[name] = entry
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the data start at a multiple of 8
    if len(text) > MAX_HEADER:
        raise CheckpointError(f"the header would have {len(text)} bytes, over {MAX_HEADER}")
    return len(text).to_bytes(8, "little") + text
