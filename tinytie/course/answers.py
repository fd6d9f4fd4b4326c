"""A student's function as a law sees it: called with care, and read as what it must be."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytie.course.desk.line import Refused
from tinytie.course.desk.wire import Maker, Other
from tinytie.course.seat import Seat

__all__ = ["Answer", "Exercise", "Maker", "Refused", "Wrong", "numbers_of", "tuple_of"]


class Wrong(Exception):  # noqa: N818 (the answer is wrong, nothing failed)
    """An answer breaks its law; the message says how, in words for the student."""


class Exercise(NamedTuple):
    """A function that a student writes, and the law it must obey: law(answer) raises Wrong."""

    function: str
    law: Callable[["Answer"], None]
    package: bool = False  # it cannot be answered without tinytie
    seconds: float = 0  # that it may take, where that is more than the usual limit


class Answer:
    """One function of an open file, in a process of its own; see the package's docstring.

    rng: where a law draws its inputs, so that no file can know them.
    """

    def __init__(self, seat: Seat, function: str, rng: np.random.Generator) -> None:
        self.seat, self.function, self.rng = seat, function, rng

    def __call__(self, **arguments: Any) -> Any:
        """What it returns. Raises Wrong where it fails or changes what it was given."""
        try:
            return self.seat.call(self.function, [*arguments], [*arguments.values()])
        except Refused as refused:
            raise Wrong(str(refused)) from None

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
            raise Wrong(f"it must return True or False, and returns {kind_of(result)}")
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
        if not all_numbers(result):
            raise TypeError("text in an array takes the width of the longest")
        array = np.array(result)
        if array.dtype.kind not in "biuf":
            raise TypeError(array.dtype)
    except (TypeError, ValueError):
        raise Wrong(f"it must return {wanted}, and returns {kind_of(result)}") from None
    if array.shape != shape:
        got = f"shape {array.shape}" if array.shape else "one number"
        hint = " (transposed?)" if shape != shape[::-1] and array.shape == shape[::-1] else ""
        raise Wrong(f"it must return {wanted}, and returns {got}{hint}")
    if not np.isfinite(array).all():
        raise Wrong("its result holds NaN or infinity")
    return array.astype(float)


def all_numbers(result):
    if isinstance(result, tuple | list):
        return all(map(all_numbers, result))
    return isinstance(result, int | float | np.ndarray | np.number)


def kind_of(result):
    """What came back instead of numbers, in words."""
    if isinstance(result, tuple | list):
        return f"a {type(result).__name__} of {len(result)} things"
    if isinstance(result, np.ndarray):
        return f"an array of dtype {result.dtype}"
    if isinstance(result, Other) and result.kind.startswith("array of"):
        return f"an {result.kind}"
    kind = result.kind if isinstance(result, Other) else type(result).__name__
    return f"something of type {kind}"


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
