"""check_operation: one pair of the registry, at sizes and a seed of your choice."""

from typing import Any

import numpy as np

from tinytie.gradcheck.check import check_gradients
from tinytie.gradcheck.report import Report
from tinytie.ops.leaves import leaves, map_leaves
from tinytie.ops.registry import Operation, Sizes


def check_operation(operation: Operation, sizes: Sizes, rng: Any = None) -> Report:
    """Every gradient that the pair returns, for the loss Σ R ∘ out with random R.

    `operation` is an entry of `tinytie.ops.registry.OPERATIONS`, `sizes` a `Sizes`.
    """
    rng = np.random.default_rng(rng)
    arguments = operation.sample(rng, sizes)
    out, cache = operation.forward(*arguments.values())
    d_out = map_leaves(lambda a: rng.standard_normal(np.shape(a)), out)
    gradients = operation.backward(d_out, cache)
    if len(operation.differentiable) == 1:
        gradients = (gradients,)

    def loss(params):
        out, _ = operation.forward(*arguments.values())
        pairs = zip(leaves("", out).values(), leaves("", d_out).values(), strict=True)
        return float(sum(np.sum(a * R) for a, R in pairs))

    params: dict[str, np.ndarray] = {}
    grads: dict[str, np.ndarray] = {}
    given = [g for g in gradients if g is not None]
    for name, gradient in zip(operation.differentiable, given, strict=True):
        found = leaves(name, gradient)  # a cell's state may reach the new one in some parts alone
        params |= {key: a for key, a in leaves(name, arguments[name]).items() if key in found}
        grads |= found
    return check_gradients(loss, params, grads)
