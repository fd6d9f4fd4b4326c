"""The safetensors format, read and written strictly. Most frameworks open these files.

    8 bytes    the length of the header, little-endian
    header     JSON: name -> {"dtype", "shape", "data_offsets"}, and "__metadata__": name -> string
    data       the arrays, little-endian, row by row, one after the other without a gap

Format: https://huggingface.co/docs/safetensors. A file that is written here starts its metadata
with a SHA-256 over the whole file, taken with zeros in the digest's own place.
"""

import hashlib
import json
import math
import os
import stat
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tinytie.errors import CheckpointError, quoted
from tinytie.files.strict_json import strict_json

DTYPES = {
    code: np.dtype(kind)
    for code, kind in {
        "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
        "I8": "i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
    }.items()
}  # fmt: skip
CODES = {dtype: code for code, dtype in DTYPES.items()}

MAX_HEADER = 100_000_000  # bytes, the bound that the format's own library sets
MAX_DIMENSIONS = 32
ALIGNMENT = 8
BLOCK = 2**20  # bytes read at a time where nothing is kept

ZEROS = b"0" * 64
SIGNED = b'{"__metadata__":{"sha256":"'  # how every header written here begins
DIGEST = slice(8 + len(SIGNED), 8 + len(SIGNED) + 64)  # where the digest stands in the file


class Tensor(NamedTuple):
    """What the header says of one array."""

    dtype: np.dtype
    shape: tuple[int, ...]
    start: int  # the bytes start … stop − 1 of the data
    stop: int


class Header(NamedTuple):
    tensors: dict[str, Tensor]  # in the order of their data
    metadata: dict[str, str]
    raw: bytes  # with the 8 bytes of the length


def read_arrays(path: str | os.PathLike[str]) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays and the metadata of any safetensors file, whoever wrote it.

    Raises CheckpointError on a file that breaks the format, OSError on one that cannot be read.
    """
    try:
        with open_plain(path) as file:
            header = read_header(file)
            return read_data(file, header), header.metadata
    except CheckpointError as error:
        error.path = os.fsdecode(path)
        raise


def open_plain(path):
    """A plain file, to read. A pipe would wait for ever, and a device never ends."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise CheckpointError("this is a folder, a device or a pipe; a file is needed")
    return open(path, "rb")


def read_header(file: BinaryIO) -> Header:
    """The header, after checking all that it promises against the size of the file."""
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
    metadata = checked_metadata(entries.pop("__metadata__", {}))
    tensors = {name: checked_tensor(name, entry) for name, entry in entries.items()}
    return Header(in_order(tensors, size - 8 - length), metadata, first + raw)


def checked_metadata(metadata):
    """A dict of strings."""
    strings = isinstance(metadata, dict) and all(isinstance(v, str) for v in metadata.values())
    if not strings:
        raise CheckpointError("__metadata__ must map names to strings")
    return metadata


def checked_tensor(name, entry):
    """One array's entry; its bytes are exactly those of its shape and dtype."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise CheckpointError("its entry must hold dtype, shape and data_offsets", name)
    dtype, shape, offsets = DTYPES.get(str(entry["dtype"])), entry["shape"], entry["data_offsets"]
    if dtype is None:
        raise CheckpointError(
            f"dtype {quoted(entry['dtype'])} is none of {', '.join(DTYPES)}", name
        )
    if not sizes(shape) or len(shape) > MAX_DIMENSIONS:
        raise CheckpointError(f"shape {quoted(shape)} is no list of sizes", name)
    if not sizes(offsets) or len(offsets) != 2:
        raise CheckpointError(f"data_offsets {quoted(offsets)} is no pair of places", name)
    if offsets[1] - offsets[0] != math.prod(shape) * dtype.itemsize:
        raise CheckpointError(f"{entry['dtype']} of shape {shape} does not fill {offsets}", name)
    if math.prod(n or 1 for n in shape) * dtype.itemsize >= 2**63:
        raise CheckpointError(f"shape {shape} is too large for an array", name)
    return Tensor(dtype, tuple(shape), *offsets)


def sizes(value):
    """Whether this is a list of whole numbers, 0 or more, that fit in 64 bits."""
    return isinstance(value, list) and all(type(n) is int and 0 <= n < 2**63 for n in value)


def in_order(tensors, data_size):
    """The tensors by place: they fill the data without a gap, an overlap or a rest."""
    ordered = dict(sorted(tensors.items(), key=lambda item: item[1][2:]))
    place = 0
    for name, tensor in ordered.items():
        if tensor.start != place:
            raise CheckpointError(f"starts at byte {tensor.start} of the data, not {place}", name)
        place = tensor.stop
    if place != data_size:
        raise CheckpointError(f"the arrays fill {place} bytes, but {data_size} follow the header")
    return ordered


def read_data(file: BinaryIO, header: Header) -> dict[str, np.ndarray]:
    """The arrays, each in memory of its own. `file` stands where the data begin."""
    return {name: read_array(file, name, tensor) for name, tensor in header.tensors.items()}


def read_array(file, name, tensor):
    array = np.empty(tensor.shape, tensor.dtype)
    data = as_bytes(array)
    if file.readinto(data) != data.size:
        raise CheckpointError("the file ends inside it", name)
    if array.dtype == bool and data.max(initial=0) > 1:
        raise CheckpointError("a byte of BOOL must be 0 or 1", name)
    return array


def as_bytes(array):
    """The memory of an array that lies row by row, as uint8; not a copy."""
    return array.reshape(-1).view(np.uint8)


def check_digest(file: BinaryIO, header: Header) -> None:
    """Compare the SHA-256, and go back to where the data begin. Keeps nothing in memory."""
    raw = header.raw
    digest = hashlib.sha256(raw[: DIGEST.start] + ZEROS + raw[DIGEST.stop :])
    while block := file.read(BLOCK):
        digest.update(block)
    file.seek(len(raw))
    if raw[DIGEST] != digest.hexdigest().encode():
        raise CheckpointError(
            "the file has changed since it was written: its SHA-256 is not the one it carries"
        )


def write_arrays(file: BinaryIO, arrays: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    """Write all arrays, the widest dtype first so that each lies aligned, and sign the file.

    Raises CheckpointError on a dtype that the format does not have, before the first byte.
    """
    plain = {name: row_by_row(name, array) for name, array in arrays.items()}
    plain = dict(sorted(plain.items(), key=lambda item: -item[1].itemsize))
    raw = header_bytes(plain, metadata)
    digest = hashlib.sha256(raw)
    for array in plain.values():
        digest.update(as_bytes(array))
    file.write(raw[: DIGEST.start] + digest.hexdigest().encode() + raw[DIGEST.stop :])
    for array in plain.values():
        file.write(as_bytes(array))


def row_by_row(name, array):
    """The array little-endian and C-contiguous; a transposed view would be written as it lies."""
    dtype = array.dtype.newbyteorder("<")
    if dtype not in CODES:
        raise CheckpointError(f"dtype {array.dtype} is none of {', '.join(DTYPES)}", name)
    return np.ascontiguousarray(array, dtype).reshape(array.shape)  # () would have become (1,)


def header_bytes(arrays, metadata):
    """The length and the header, with zeros for the digest."""
    header: dict[str, Any] = {"__metadata__": {"sha256": ZEROS.decode()} | metadata}
    place = 0
    for name, array in arrays.items():
        place, start = place + array.nbytes, place
        entry = {"dtype": CODES[array.dtype], "shape": array.shape, "data_offsets": (start, place)}
        header[name] = entry
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    if len(text) > MAX_HEADER:
        raise CheckpointError(f"the header would have {len(text)} bytes, over {MAX_HEADER}")
    return len(text).to_bytes(8, "little") + text
