"""What an answer's numbers say: whether they are the derivative, and if not, which mistake fits."""

from collections.abc import Callable

import numpy as np

from tinytie.course.answers import Wrong
from tinytie.gradcheck import check_gradients
from tinytie.gradcheck.numeric import numeric_gradient


def equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal up to the error of a finite difference."""
    return a.shape == b.shape and bool(np.abs(a - b).max() <= 1e-6 * np.abs(b).max() + 1e-9)


def law_of_gradient(
    got: np.ndarray, loss: Callable[[], float], array: np.ndarray,
    suspects: Callable[[], dict[str, np.ndarray]],
    rows: list[str] | None = None, name: str = "",
) -> None:  # fmt: skip
    """`got` must be the derivative of `loss()` with respect to `array`, which it reads.

    suspects(): sentence -> the array that this mistake would give; called only where `got` fails.
    rows: a name for each row. name: which result this is, where an answer has several.
    Raises Wrong, with the sentence that fits or with the pattern of what is off.
    """
    if check_gradients(lambda _: loss(), {"E": array}, {"E": got}).verdict == "PASS":
        return
    numeric = numeric_gradient(loss, array)
    prefix = f"{name}: " if name else ""
    if equal(got, numeric):
        raise Wrong(prefix + "it is right to six digits and then off: is there a float32 in it?")
    for sentence, wrong in suspects().items():
        if equal(got, wrong) and not equal(wrong, numeric):  # not every mistake acts here
            raise Wrong(prefix + sentence)
    raise Wrong(prefix + (factor(got, numeric) or pattern(got, numeric, rows)))


def law_of_value(
    got: np.ndarray, right: np.ndarray, suspects: dict[str, np.ndarray], name: str = ""
) -> None:
    """`got` must be these numbers, to rounding. suspects: sentence -> what that mistake gives.

    Raises Wrong, with the sentence that fits or with the worst entry.
    """
    if np.allclose(got, right, rtol=1e-9, atol=1e-12):
        return
    prefix = f"{name}: " if name else ""
    for sentence, wrong in suspects.items():
        if wrong.shape == got.shape and np.allclose(got, wrong, rtol=1e-9, atol=1e-12):
            raise Wrong(prefix + sentence)
    index = tuple(int(i) for i in np.unravel_index(np.abs(got - right).argmax(), got.shape))
    place = f"entry {list(index)}" if index else "it"
    raise Wrong(f"{prefix}{place} is {got[index]:.6g} and should be {right[index]:.6g}")


def factor(got, numeric):
    """A sentence where one factor explains every entry, else None."""
    ratio = float(np.sum(got * numeric) / np.sum(numeric * numeric))
    if not equal(got, ratio * numeric):
        return None
    if abs(ratio) < 1e-6:
        return "it returns zeros, but the loss does change with this array"
    if abs(ratio + 1) < 1e-6:
        return "every entry has the wrong sign"
    return f"every entry is {ratio:.6g} times what the finite difference says: a factor is off"


def pattern(got, numeric, rows):
    """Where an answer is off, and what the worst entry should be."""
    off = np.abs(got - numeric) > 1e-6 * np.abs(numeric).max() + 1e-9
    index = tuple(int(i) for i in np.unravel_index(np.abs(got - numeric).argmax(), got.shape))
    named = [rows[i] for i in range(len(off)) if off[i].any()] if rows else []
    where = f", in the rows {', '.join(named)}" if named else ""
    return (
        f"{off.sum()} of {off.size} entries are off{where}; the worst is {list(index)}: yours "
        f"{got[index]:.6g}, the finite difference says {numeric[index]:.6g}"
    )
