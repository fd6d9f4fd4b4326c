"""What a student's process may say to the judge, byte by byte."""

import json

import numpy as np
import pytest

from tinytie.course.desk.wire import Garbled, encoded, unpacked

ONES = {"array": ["<f8", [2]]}
LIST = {"list": []}


def message(word, *rest):
    return json.dumps({"tuple": [word, *rest]})


NO_MESSAGES = [
    "", "no json", "7", "{}", "[" * 99_999, '["result", "x", 1]', '{"tuple": []}',
    message(1), message(ONES, "x", 1), message(LIST), message("pass", "x", 1),
    message("closed"), message("closed", "x"), message("closed", "x", 2),
    message("loaded", "x", ONES), message("refused", "x", 1),
    message("call", "x", 0), message("call", "x", ONES, LIST, LIST), message("call", "x", 0, 1, 2),
    message("result"), message("result", ONES, 1), message("result", "x", [1, 2]),
    message("result", "x", {"list": 7}), message("result", "x", {"list": [], "set": []}),
    message("result", "x", {"set": [LIST]}), message("result", "x", {"dict": [[LIST, 1]]}),
    message("result", "x", {"list": list(range(10_000))}),
    message("result", "x", {"maker": ["save", {"dict": []}, {"dict": []}]}),
    message("result", "x", {"array": ["|O", [1]]}), message("result", "x", {"array": [[], [1]]}),
    message("result", "x", {"array": ["<f8", [-1]]}), message("result", "x", {"array": ["<f8"]}),
    message("result", "x", {"array": ["<f8", [3]]}),
    message("result", "x", {"array": ["<f8", [1 << 39, 1 << 39]]}),
    message("result", "x", {"array": ["<f8", [0, 1 << 39, 1 << 39]]}),
    message("result", "x", {"array": ["<f8", [2.0]]}),
]  # fmt: skip


@pytest.mark.parametrize("header", NO_MESSAGES)
def test_what_is_no_message_is_garbled(header):
    with pytest.raises(Garbled):
        unpacked(header.encode(), np.ones(2).tobytes(), None)


def test_every_value_that_travels_arrives_as_it_was():
    values = (
        None, True, 3, -0.5, float("inf"), "a\u20ac", [1, (2, "b")], {1, 2}, frozenset({3}),
        {"k": [1], 2: None}, np.arange(6, dtype=">i2").reshape(2, 3).T, np.zeros((0, 4)),
        np.array(2.5, "f4"), np.array([True, False]), 1 + 2j,
    )  # fmt: skip
    blobs: list[bytes] = []
    header = json.dumps(encoded(("result", "x", values), blobs, None)).encode()
    _, _, arrived = unpacked(header, b"".join(blobs), None)
    for sent, got in zip(values, arrived, strict=True):
        if isinstance(sent, np.ndarray):
            assert got.dtype == sent.dtype.newbyteorder("<")
            np.testing.assert_array_equal(got, sent)
        else:
            assert got == sent and isinstance(got, type(sent) | np.ndarray)
