"""Clipping: a gradient that is too long keeps its direction and loses length."""

import math
from typing import Any

import numpy as np

from tinytie.training.moving import Params, thawed


def global_norm(grads: Params) -> float:
    """√(Σ g²) over every entry of every array, as if all were one long vector.

    A tied matrix has one gradient, the sum of its two paths, and so counts once. The norm is
    finite where every entry is, also where the squares would overflow.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        norm = math.sqrt(sum(float(np.vdot(g, g)) for g in grads.values()))
    return norm if math.isfinite(norm) else norm_of_large(grads)


def norm_of_large(grads):
    """The same as m · √(Σ (g/m)²), m the largest entry; not finite where an entry is not."""
    largest = float(np.max([np.abs(g).max(initial=0) for g in grads.values()]))
    if not math.isfinite(largest):
        return largest
    return largest * math.sqrt(sum(float(np.sum((g / largest) ** 2)) for g in grads.values()))


def clip_by_global_norm(
    grads: Params, max_norm: float | None, frozen: dict[str, Any] | None = None
) -> tuple[Params, float]:
    """g · min(1, max_norm / norm) for every array by the same factor, and the norm before.

    The arrays are scaled where they lie, but for those with frozen entries: these come back as
    copies with zeros there, which do not count in the norm. max_norm None does not clip, and a
    norm that is not finite is for the caller to refuse.
    """
    frozen = frozen or {}
    grads = {name: thawed(g, frozen.get(name)) for name, g in grads.items()}
    norm = global_norm(grads)
    if max_norm is not None and max_norm < norm < math.inf:
        factor = max_norm / norm  # a Python float, so that float32 stays float32
        for g in grads.values():
            g *= factor  # in place: twice as fast as new arrays, and E's size less memory
    return grads, norm
