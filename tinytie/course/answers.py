"""A student's function, called with care: whatever it does, one clear sentence comes back."""

import copy
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Wrong(Exception):  # noqa: N818 (the answer is wrong, nothing failed)
    """An answer breaks its law; the message says how, in words for the student."""


class Exercise(NamedTuple):
    """A function that a student writes, and the law it must obey: law(answer) raises Wrong."""

    function: str
    law: Callable[["Answer"], None]


class Answer:
    """One function of an exercise file."""

    def __init__(self, function: Callable, path: Path) -> None:
        self.function, self.path = function, path

    def __call__(self, **arguments: Any) -> Any:
        """Call it with copies. Raises Wrong where it fails or changes what it was given."""
        given = copy.deepcopy(arguments)
        try:
            with np.errstate(all="ignore"):
                result = self.function(*given.values())
        except NotImplementedError as error:
            raise Wrong(str(error) or "not written yet") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise Wrong(what_stopped(error, self.path) + shapes_of(arguments)) from None
        for name, value in arguments.items():
            if not same(value, given[name]):
                raise Wrong(
                    f"it changes its argument {name} in place; work on a copy or a new array"
                )
        return result

    def array(self, shape: tuple[int, ...], **arguments: Any) -> np.ndarray:
        """Its result as finite numbers of this shape, the same at a second call."""
        result = numbers_of(self(**arguments), shape)
        if not np.array_equal(result, numbers_of(self(**arguments), shape)):
            raise Wrong(
                "called twice with the same arguments it gives two different answers: does it "
                "keep something between calls?"
            )
        return result

    def arrays(self, shapes: dict[str, tuple[int, ...]], **arguments: Any) -> dict:
        """Its results by name, a tuple with an array of each shape, the same at a second call."""
        results = [tuple_of(self(**arguments), shapes) for _ in range(2)]
        for name in shapes:
            if not np.array_equal(results[0][name], results[1][name]):
                raise Wrong(f"called twice with the same arguments, {name} is another one")
        return results[0]

    def yes(self, **arguments: Any) -> bool:
        """Its result as True or False."""
        result = self(**arguments)
        if not isinstance(result, bool | np.bool_):
            raise Wrong(f"it must return True or False, and returns {type(result).__name__}")
        return bool(result)

    def number(self, **arguments: Any) -> float:
        """Its result as one finite number."""
        return float(self.array((), **arguments))


def numbers_of(result, shape):
    """A copy of the result as floats. Raises Wrong where that cannot be."""
    if result is None:
        raise Wrong("it returns None: is a return missing?")
    wanted = f"an array of shape {shape}" if shape else "one number"
    try:
        array = np.array(result)
        array = array.astype(float, casting="same_kind" if array.dtype.kind == "c" else "unsafe")
    except (TypeError, ValueError):
        raise Wrong(f"it must return {wanted}, and returns {kind_of(result)}") from None
    if array.shape != shape:
        got = f"shape {array.shape}" if array.shape else "one number"
        hint = " (transposed?)" if shape != shape[::-1] and array.shape == shape[::-1] else ""
        raise Wrong(f"it must return {wanted}, and returns {got}{hint}")
    if not np.isfinite(array).all():
        raise Wrong("its result holds NaN or infinity")
    return array


def kind_of(result):
    """What came back instead of numbers, in words."""
    if isinstance(result, tuple | list):
        return f"a {type(result).__name__} of {len(result)} things"
    if isinstance(result, np.ndarray):
        return f"an array of dtype {result.dtype}"
    return f"something of type {type(result).__name__}"


def tuple_of(result, shapes):
    """The parts of a result by name. Raises Wrong, naming the part, where one does not fit."""
    if result is None:
        raise Wrong("it returns None: is a return missing?")
    if not isinstance(result, tuple | list) or len(result) != len(shapes):
        raise Wrong(f"it must return {len(shapes)} arrays: {', '.join(shapes)}")
    parts = {}
    for (name, shape), part in zip(shapes.items(), result, strict=True):
        try:
            parts[name] = numbers_of(part, shape)
        except Wrong as wrong:
            raise Wrong(f"{name}: {wrong}") from None
    return parts


def same(a, b):
    """Whether two arguments are equal."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return True if callable(a) else bool(a == b)


def shapes_of(arguments):
    """The shapes of the arrays that a function was called with."""
    arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
    said = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
    return f"; it was given {said}" if said else ""


def what_stopped(error, path):
    """An exception in one sentence, with the student's own line."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == path]
    where = f" at line {lines[-1]} of {path.name}" if lines else ""
    text = " ".join(str(error).split())
    said = f": {text}" if text else ""
    return f"it stops with {type(error).__name__}{where}{said}"
