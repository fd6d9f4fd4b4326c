"""Parameters of any form: an array, a number, a list, a tuple, a dict, nested.

What holds floats is checked. None marks what is frozen; integers, bools and words are constants.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

METHODS = ("central", "complex", "directions")


def check_options(method, step):
    """A method of the list and a step above zero."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}; got {method!r}")
    if isinstance(step, bool) or not isinstance(step, int | float | np.floating):
        raise TypeError(f"step must be a number such as 1e-5, got {step!r}")
    if not (math.isfinite(step) and step > 0):
        raise ValueError(f"step must be above 0 and finite, got {step}; 1e-5 suits float64")


class Parameters:
    """What was given as `params`, and the float arrays inside it, by name."""

    def __init__(self, given: Any, called: str = "params") -> None:
        self.given, self.called = given, called
        leaves = dict(leaves_of(given))
        self.holders = [(holder, list(items_of(holder))) for holder in containers_of(given)]
        flat = isinstance(given, dict) and all(len(path) == 1 for path in leaves)
        self.names = {path: path[0] if flat else said(called, path) for path in leaves}
        self.numbers = {
            path for path, leaf in leaves.items() if isinstance(leaf, float | np.floating)
        }
        self.paths = {
            self.names[path]: path for path, leaf in leaves.items() if is_float(self.at(path), leaf)
        }
        self.arrays = {name: np.asarray(leaves[path]) for name, path in self.paths.items()}
        if not self.arrays:
            empty = isinstance(given, dict | list | tuple) and len(given) == 0
            raise (ValueError if empty else TypeError)(
                f"{called} is empty: there is nothing to check" if empty else
                f"{called} must hold floats, got {kind_of(given)}"
            )  # fmt: skip

    def at(self, path):
        """The place of a leaf, in words, for a message."""
        return said(self.called, path)

    def value(self) -> Any:
        """What the function is called with: what was given, its numbers as they are bumped."""
        self.put_back()
        return self.replaced(self.arrays) if self.numbers else self.given

    def put_back(self) -> None:
        """The containers hold what they held, whatever the function did to them."""
        for holder, items in self.holders:
            put_back(holder, items)

    def replaced(self, arrays: dict) -> Any:
        """The same structure with other arrays in the places of those that are checked."""
        by_path = {path: arrays[name] for name, path in self.paths.items()}
        by_path |= {path: arrays[self.names[path]][()] for path in self.numbers}
        return rebuilt(self.given, by_path)

    def gradients(self, given: Any, called: str = "grads") -> dict[Any, np.ndarray]:
        """The gradient of each array, by name, checked: an array of its shape and dtype."""
        found = dict(matching(self.given, given, called, (), set(self.paths.values())))
        checked = {}
        for name, path in self.paths.items():
            place = said(called, path)
            checked[name] = as_gradient(place, found[path])
            if wrong := misfit(self.arrays[name], checked[name]):
                raise (TypeError if "dtype" in wrong else ValueError)(f"{place} has {wrong}")
        return checked

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Afterwards all is as it was, bit for bit, also after an error."""
        copies = {name: array.copy() for name, array in self.arrays.items()}
        try:
            yield
        finally:
            for name, array in self.arrays.items():
                if array.flags.writeable and array.tobytes() != copies[name].tobytes():
                    array[...] = copies[name]
            self.put_back()

    def changed(self) -> list:
        """The names, in order, that are in the structure now, to be compared with another time."""
        return [path for path, _ in leaves_of(self.given)]


def leaves_of(tree, path=()):
    """(path, leaf) of everything in nested containers."""
    if isinstance(tree, dict | list | tuple):
        for key, value in items_of(tree):
            yield from leaves_of(value, (*path, key))
    else:
        yield path, tree


def items_of(holder):
    """(key, value) of a dict, (position, value) of a list or tuple."""
    return holder.items() if isinstance(holder, dict) else enumerate(holder)


def containers_of(tree):
    """Each dict and list in it, which a loss might change."""
    if isinstance(tree, dict | list | tuple):
        if not isinstance(tree, tuple):
            yield tree
        for _, value in items_of(tree):
            yield from containers_of(value)


def put_back(holder, items):
    """The dict or list with just these items, in place; untouched where it has them already."""
    now = list(items_of(holder))
    same = len(now) == len(items) and all(
        a[0] == b[0] and a[1] is b[1] for a, b in zip(now, items, strict=True)
    )
    if same:
        return
    holder.clear()
    if isinstance(holder, dict):
        holder.update(items)
    else:
        holder.extend(value for _, value in items)


def rebuilt(tree, leaves, path=()):
    """The same containers with some leaves replaced."""
    if path in leaves:
        return leaves[path]
    if isinstance(tree, dict):
        return {key: rebuilt(value, leaves, (*path, key)) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        parts = [rebuilt(value, leaves, (*path, i)) for i, value in enumerate(tree)]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def matching(tree, given, called, path, wanted):
    """(path, gradient) of each leaf that is checked, where `given` has the structure of `tree`."""
    place = said(called, path)
    if isinstance(tree, dict):
        yield from matching_dict(tree, given, called, path, wanted)
    elif isinstance(tree, list | tuple):
        if not isinstance(given, list | tuple):
            raise TypeError(f"{place} must be a list like params, got {type(given).__name__}")
        if len(given) != len(tree):
            raise ValueError(f"{place} has {len(given)} parts, params {len(tree)} there")
        for i, (part, gradient) in enumerate(zip(tree, given, strict=True)):
            yield from matching(part, gradient, called, (*path, i), wanted)
    elif path in wanted:
        yield path, given


def matching_dict(tree, given, called, path, wanted):
    """The same for a dict, in which the gradients of constants may be missing."""
    if not isinstance(given, dict):
        raise TypeError(
            f"{said(called, path)} must be a dict of arrays, got {type(given).__name__}"
        )
    needed = [key for key in tree if any(w[: len(path) + 1] == (*path, key) for w in wanted)]
    missing = [key for key in needed if key not in given]
    unknown = [key for key in given if key not in tree]
    if missing or unknown:
        raise ValueError(
            f"{said(called, path)} must have the names of params, {list(tree)}; "
            f"missing {missing}, unknown {unknown}"
        )
    for key in needed:
        yield from matching(tree[key], given[key], called, (*path, key), wanted)


def said(called, path):
    """('rnn', 0, 'W') -> params['rnn'][0]['W']"""
    return called + "".join(f"[{key!r}]" for key in path)


def is_float(place, leaf):
    """Whether a leaf is checked; raises TypeError where it is neither that nor a constant."""
    if leaf is None or isinstance(leaf, bool | int | str | np.integer | np.bool_):
        return False
    if isinstance(leaf, float | np.floating):
        return True
    if not isinstance(leaf, np.ndarray):
        raise TypeError(
            f"{place} must be an array, a number, or None where it is frozen, got "
            f"{type(leaf).__name__}; of a torch tensor on the CPU, tensor.detach().numpy() shares "
            "the memory"
        )
    if leaf.dtype.kind in "iubSU":
        return False
    if leaf.dtype.kind != "f":
        raise TypeError(f"{place} must hold floats, got dtype {leaf.dtype}")
    return True


def kind_of(given):
    """A few words on what holds no floats."""
    if isinstance(given, dict) and all(isinstance(a, np.ndarray) for a in given.values()):
        return "arrays of dtype " + ", ".join(sorted({str(a.dtype) for a in given.values()}))
    return f"dtype {given.dtype}" if isinstance(given, np.ndarray) else type(given).__name__


def as_gradient(place, gradient):
    """An array of real numbers, a copy: the loss may write into what it was made from."""
    try:
        gradient = np.array(gradient)
    except ValueError:
        raise TypeError(f"{place} must be an array, got a ragged list") from None
    if gradient.dtype.kind not in "fiu":
        raise TypeError(f"{place} must hold real numbers, got dtype {gradient.dtype}")
    return gradient


def misfit(array, gradient):
    """What is wrong with a gradient's shape or dtype, in words; "" where nothing is."""
    if gradient.shape != array.shape:
        hint = "; it looks transposed" if gradient.T.shape == array.shape else ""
        return f"shape {gradient.shape}, its parameter {array.shape}{hint}"
    kind = gradient.dtype.kind
    if kind not in "fiu" or (kind == "f" and gradient.dtype != array.dtype):
        return f"dtype {gradient.dtype}, its parameter {array.dtype}"
    return ""


def as_number(value):
    """The loss as a float."""
    if type(value) is float:
        return value
    array = None if isinstance(value, tuple | list | dict) else np.asarray(value)
    if array is None or array.size != 1 or array.dtype.kind not in "fiu":
        got = type(value).__name__ if array is None else f"{array.dtype} of shape {array.shape}"
        raise TypeError(
            f"loss(params) must return one number, got {got}; a model's loss returns "
            "(loss, state), of which [0] is the loss"
        )
    return float(array.reshape(())[()])


def obstacle(name, arrays):
    """Why differences of this array would mean nothing; "" where they do."""
    array = arrays[name]
    if array.dtype.itemsize < 8:
        return f"{array.dtype} is too coarse for differences: check a float64 copy"
    if not array.flags.writeable:
        return "it is read-only, so that it cannot be bumped: check a copy"
    if any(step == 0 and n > 1 for step, n in zip(array.strides, array.shape, strict=True)):
        return "several of its entries share one place in memory: check a copy"
    for other, their in arrays.items():
        if other != name and np.may_share_memory(array, their) and np.shares_memory(array, their):
            return f"it shares memory with {other!r}, so that bumping one moves both"
    return ""
