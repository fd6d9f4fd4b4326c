"""tinytie: weight tying, and the gradients behind it, in plain NumPy.

The names of `names.py` are loaded when the first of them is used, not before: the command line
catches Ctrl-C from its first moment on, and NumPy alone takes a tenth of a second to load.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tinytie.names import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Whatever is not here yet: a public name, their list, or a part such as `tinytie.models`."""
    if name == "__all__" or not name.startswith("__"):
        names = importlib.import_module("tinytie.names")
        globals().update({public: getattr(names, public) for public in names.__all__})
        globals()["__all__"] = names.__all__
    if name in globals():
        return globals()[name]
    raise AttributeError(f"module 'tinytie' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__getattr__("__all__")]
