"""Nested values with arrays in them, as JSON beside a flat dict of arrays, and back.

JSON has null, booleans, numbers, strings, lists and objects. All else becomes an object with one
name that starts with "$":

    {"$array": name}    the array of this name; the name is a JSON pointer, /optimizer/m/E
    {"$scalar": name}   a NumPy scalar, which keeps its dtype
    {"$float": text}    inf, -inf or nan
    {"$tuple": [...]}   a tuple;   {"$LSTMState": [...]}   a named one
    {"$dict": {...}}    a dict in which a key starts with "$"
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytie.errors import CheckpointError, quoted
from tinytie.ops.cells import LSTMState

TUPLES: dict[str, Callable] = {
    "$tuple": tuple,
    "$LSTMState": LSTMState._make,
}  # from a list of parts


def pack(value: Any, name: str, arrays: dict[str, np.ndarray]) -> Any:
    """The JSON of a value; the arrays in it go to `arrays`, under names that start with `name`.

    Raises CheckpointError, with the place in the value, on what has no JSON, above all objects
    and dicts whose keys are not strings.
    """
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return {"$array": name}
    if isinstance(value, np.generic):
        arrays[name] = np.asarray(value)
        return {"$scalar": name}
    if type(value) is float and not math.isfinite(value):
        return {"$float": repr(value)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, dict):
        return pack_dict(value, name, arrays)
    kind = "list" if type(value) is list else f"${type(value).__name__}"
    if kind != "list" and kind not in TUPLES:
        raise CheckpointError(f"{name} is a {type(value).__name__}, which has no JSON")
    parts = [pack(part, f"{name}/{place}", arrays) for place, part in enumerate(value)]
    return parts if kind == "list" else {kind: parts}


def pack_dict(value, name, arrays):
    """An object; where a key could be mistaken for one of the marks above, an object in $dict."""
    for key in value:
        if type(key) is not str:
            raise CheckpointError(f"{name} has the key {quoted(key)}; JSON needs strings")
    packed = {key: pack(part, f"{name}/{escaped(key)}", arrays) for key, part in value.items()}
    return {"$dict": packed} if any(key.startswith("$") for key in value) else packed


def escaped(key):
    """A key as a part of a JSON pointer (RFC 6901), so that no two places share a name."""
    return key.replace("~", "~0").replace("/", "~1")


def unpack(value: Any, array_of: Callable[[str], np.ndarray]) -> Any:
    """The value again, from its JSON and a function that gives the array of a name."""
    if isinstance(value, list):
        return [unpack(part, array_of) for part in value]
    if not isinstance(value, dict):
        return value
    marks = [key for key in value if key.startswith("$")]
    if not marks:
        return {key: unpack(part, array_of) for key, part in value.items()}
    if len(value) > 1:
        raise CheckpointError(f"{quoted(marks[0])} stands among other names")
    return unpack_marked(marks[0], value[marks[0]], array_of)


def unpack_marked(mark, content, array_of):
    """What one of the marks stands for."""
    match mark, content:
        case "$array", str():
            return array_of(content)
        case "$scalar", str():
            return array_of(content)[()]
        case "$float", "inf" | "-inf" | "nan":
            return float(content)
        case "$dict", dict():
            return {key: unpack(part, array_of) for key, part in content.items()}
        case ("$tuple", list()) | ("$LSTMState", [_, _]):
            return TUPLES[mark](unpack(content, array_of))
    raise CheckpointError(f"{quoted({mark: content})} is no value of this format")


def array_names(value: Any) -> list[str]:
    """The names of the arrays that `unpack` will ask for."""
    names: list[str] = []

    def note(name):
        names.append(name)
        return np.empty(())

    unpack(value, note)
    return names
