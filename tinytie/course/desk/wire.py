"""Calls between two Pythons that do not trust each other: a JSON header and raw array bytes.

A frame is two lengths (header, body; 4 bytes each, big-endian), the header, and the bytes of its
arrays one after the other. What arrives is numbers, text, lists, tuples, sets, dicts and arrays;
functions stay where they are and go by number. Nothing that arrives is ever executed.
"""

import json
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

LENGTHS = struct.Struct(">II")
HEADER_LIMIT, BODY_LIMIT = 4_000_000, 64_000_000  # bytes
DEPTH_LIMIT = 16
VALUES_LIMIT = 10_000  # so few that even colliding ones are soon compared
EXACT: tuple[Any, ...] = (str, int, float)  # a subclass goes as what it is inside
GROUPS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
DTYPES = {"|b1", "|i1", "|u1"} | {
    f"<{kind}{size}" for kind, sizes in (("i", "248"), ("u", "248"), ("f", "248")) for size in sizes
} | {"<c8", "<c16"}  # fmt: skip

FORMS: dict[str, tuple[Any, ...]] = {  # what a message says after its word
    "ready": (str, list),  # a problem, what is not contained
    "file": (str, str, str),  # serial number, name, source
    "loaded": (str, str),  # serial number, a problem
    "call": (str, int | str, list, list),  # ticket, function, names and values of its arguments
    "result": (str, object),  # ticket, value
    "refused": (str, str),  # ticket, a sentence
    "close": (),
    "closed": (str, str),  # serial number, why
}


class Garbled(Exception):  # noqa: N818 (the peer's doing, nothing failed here)
    """What came over the wire is no frame, or says what a frame must not say."""


class Other:
    """Stands for a value that does not travel, and remembers its type."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


class Maker(NamedTuple):
    """A function without arguments that makes a model of the package, on either side of the wire.

    model: a name of `tinytie`, as "RNNLM". params: what replaces the model's own.
    """

    model: str
    options: dict
    params: dict

    def __call__(self) -> Any:
        import tinytie

        model = getattr(tinytie, self.model)(**self.options)
        for name, array in self.params.items():
            model.params[name] = array.copy()
        return model


def packed(message: tuple, number_of: Callable) -> bytes:
    """A message as one frame; number_of(function) names what stays here."""
    blobs: list[bytes] = []
    header = json.dumps(encoded(message, blobs, number_of)).encode()
    body = b"".join(blobs)
    if len(header) > HEADER_LIMIT or len(body) > BODY_LIMIT:
        raise ValueError("it is too large: at most 64 MB of arrays, and 4 MB of anything else")
    return LENGTHS.pack(len(header), len(body)) + header + body


def encoded(value, blobs, number_of, depth=0):
    """The value for the header; the bytes of its arrays join the blobs."""
    if depth > DEPTH_LIMIT:
        raise ValueError(f"it is nested deeper than {DEPTH_LIMIT} levels")
    if value is None or isinstance(value, bool):
        return value
    for kind in EXACT:
        if isinstance(value, kind):
            return kind.__getnewargs__(value)[0]

    def inner(part):
        return encoded(part, blobs, number_of, depth + 1)

    if isinstance(value, Maker):
        return {"maker": [inner(part) for part in value]}
    for name, group in GROUPS.items():
        if isinstance(value, group):
            if len(value) > VALUES_LIMIT // 2:
                raise ValueError("a list of so many values must be an array")
            return {name: [inner(part) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[inner(key), inner(part)] for key, part in value.items()]}
    if isinstance(value, np.bool_ | np.integer | np.floating) and value.dtype.itemsize <= 8:
        return value.item()
    if isinstance(value, np.ndarray | np.number | complex):
        return encoded_array(np.asarray(value), blobs)
    if callable(value):
        return {"function": number_of(value)}
    return {"other": type(value).__name__}


def encoded_array(array, blobs):
    """Little-endian, C order; an array of no numbers goes by its dtype alone."""
    if array.dtype == np.longdouble:
        array = array.astype(float)
    array = array.astype(array.dtype.newbyteorder("<"), order="C")
    if array.dtype.str not in DTYPES:
        return {"other": f"array of dtype {array.dtype}"}
    blobs.append(array.tobytes())
    return {"array": [array.dtype.str, list(array.shape)]}


def unpacked(header: bytes, body: bytes, function_of: Callable, makers: bool = False) -> tuple:
    """The message of a frame; function_of(number) stands for what stays there.

    makers: whether it may hold a Maker. Raises Garbled where it is none of FORMS.
    """
    try:
        message = Decoder(body, function_of, makers).value(json.loads(header))
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise Garbled(str(error)) from None
    if not well_formed(message):
        raise Garbled("no message")
    return message


def well_formed(message):
    if not isinstance(message, tuple) or not message or not isinstance(message[0], str):
        return False
    kinds, rest = FORMS.get(message[0]), message[1:]
    return kinds is not None and len(kinds) == len(rest) and all(map(isinstance, rest, kinds))


class Decoder:
    """Reads a header, and takes the bytes of its arrays off the body, in order."""

    def __init__(self, body, function_of, makers):
        self.body, self.function_of, self.makers = body, function_of, makers
        self.at = self.count = 0

    def value(self, data):
        self.count += 1
        if self.count > VALUES_LIMIT:
            raise Garbled("too many values")
        if isinstance(data, list):
            raise Garbled("a list that does not say what it is")
        if not isinstance(data, dict):
            return data
        ((kind, content),) = data.items()
        if kind in GROUPS:
            return GROUPS[kind](self.value(part) for part in content)
        if kind == "dict":
            return {self.value(key): self.value(part) for key, part in content}
        if kind == "array":
            return self.array(*content)
        if kind == "maker" and self.makers:
            return Maker(*(self.value(part) for part in content))
        if kind == "function":
            return self.function_of(content)
        if kind == "other":
            return Other(str(content)[:80])
        raise Garbled(f"no kind of value: {kind!r:.40}")

    def array(self, dtype, shape):
        fits = len(shape) <= 32 and all(type(n) is int and 0 <= n < 1 << 40 for n in shape)
        if dtype not in DTYPES or not fits:
            raise Garbled("no such array")
        count = 1
        for n in shape:
            count *= n
        flat = np.frombuffer(self.body, dtype, count, self.at) if count else np.zeros(0, dtype)
        self.at += flat.nbytes
        return flat.reshape(shape).copy()


def read_frame(read: Callable[[int], bytes]) -> tuple[bytes, bytes]:
    """The next header and body; read(n) gives up to n bytes, none at the end. Raises EOFError."""
    header, body = LENGTHS.unpack(exactly(read, LENGTHS.size))
    if header > HEADER_LIMIT or body > BODY_LIMIT:
        raise Garbled("the frame is too large")
    return exactly(read, header), exactly(read, body)


def exactly(read, n):
    """So many bytes, of which each read may give a part."""
    parts = []
    while n:
        parts.append(part := read(min(n, 1 << 20)))
        if not part:
            raise EOFError
        n -= len(part)
    return b"".join(parts)
