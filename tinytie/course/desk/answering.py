"""A student's file, loaded and asked: whatever it does, one clear sentence comes back."""

import contextlib
import copy
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tinytie.course.desk.line import Refused


class File:
    """One file of a student, and its functions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}

    def load(self, source: str) -> str:
        """Run the file; a sentence where it cannot be, else nothing."""
        try:
            exec(compile(source, str(self.path), "exec"), self.names)
        except SyntaxError as error:
            return f"line {error.lineno} of {self.path.name} is no Python: {error.msg}"
        except BaseException as error:
            return self.what_stopped(error)
        return ""

    def function(self, name: str) -> Callable:
        """A function of the file. Raises Refused where there is none of this name."""
        function = self.names.get(name)
        if not callable(function):
            raise Refused(f"{self.path.name} has no function {name}")
        return function

    def ask(self, function: Callable, names: list, values: list) -> object:
        """Its result. Raises Refused where it fails or changes what it was given."""
        given = copy.deepcopy(values)
        try:
            with np.errstate(all="ignore"):
                result = function(*given)
        except NotImplementedError as error:
            raise Refused(str(error) or "not written yet") from None
        except BaseException as error:
            raise Refused(self.what_stopped(error) + shapes_of(names, values)) from None
        for name, before, after in zip(names, values, given, strict=True):
            if not same(before, after):
                raise Refused(
                    f"it changes its argument {name} in place; work on a copy or a new array"
                )
        return result

    def what_stopped(self, error):
        """An exception in one sentence, with the student's own line."""
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(self.path)]
        where = f" at line {lines[-1]} of {self.path.name}" if lines else ""
        text = " ".join(str(error).split())
        said = f": {text}" if text else ""
        return f"it stops with {type(error).__name__}{where}{said}"


def same(a, b):
    """Whether two arguments are equal."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return True if callable(a) else bool(a == b)


def shapes_of(names, values):
    """The shapes of the arrays that a function was called with."""
    arrays = [(name, v.shape) for name, v in zip(names, values, strict=True) if hasattr(v, "shape")]
    said = ", ".join(f"{name} {shape}" for name, shape in arrays)
    return f"; it was given {said}" if said else ""


def flush():
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def without_package():
    """From here on `import tinytie` fails, as if it were not installed."""
    for module in [m for m in sys.modules if m.partition(".")[0] == "tinytie"]:
        del sys.modules[module]
    sys.meta_path.insert(0, NoPackage())


class NoPackage:
    """The finder of modules that does not find this package."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "tinytie":
            raise ImportError("tinytie may not be used in this answer", name=name)
