"""check_vjp: any function with an array, or several, as its output."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tinytie.gradcheck.check import check_gradients
from tinytie.gradcheck.measure import unequal
from tinytie.gradcheck.report import Report, Row, failed_row
from tinytie.gradcheck.trees import Parameters


def check_vjp(
    f: Callable[..., Any], vjp: Callable[..., Any], args: Any, *, rng: Any = 0, **options: Any
) -> Report:
    """Check `vjp(d_out, *args)`, one gradient for each argument, of `f(*args)` -> array.

    The loss is Σ R ∘ f(*args) with random cotangents R, in the structure that f returns; None
    may stand for the gradient of an argument that is frozen or an integer. Beside each argument's
    gradient, for two cotangents, it is checked that vjp is linear in d_out, that a second call
    gives the same, and that no call changes its arguments. options as in `check_gradients`.
    """
    rng = np.random.default_rng(rng)
    args = tuple(args) if isinstance(args, list | tuple) else (args,)
    parameters = Parameters(args, "args")
    out = f(*args)
    R, S = (like(out, rng) for _ in range(2))
    named = names_of_arguments(f, args)

    def pulled(d_out):
        return parameters.gradients(as_arguments(vjp(d_out, *args), args), "vjp(...)")

    rows: list[Row] = []
    report = Report()
    with parameters.restored():
        before = snapshot(args)
        gradients, other = pulled(R), pulled(S)
        rows += linearity(pulled, R, S, gradients, other)
        rows += repetition(pulled, R, gradients)
        if snapshot(args) != before:
            rows.append(failed_row("arguments", "vjp changes its arguments"))
    for cotangent, given in ((R, gradients), (S, other)):
        scalar = lambda args, c=cotangent: dot(c, f(*args))  # noqa: E731
        report = check_gradients(scalar, args, parameters.replaced(given), rng=rng, **options)
        if not report.ok:
            break
    told = [replace(row, name=named(row.name)) for row in report.rows]
    return replace(report, rows=told + rows)


def names_of_arguments(f, args):
    """params[0] -> x, by the names of f's own arguments where it has as many."""
    try:
        words = list(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        words = []
    pairs = dict(zip((f"params[{i}]" for i in range(len(args))), words, strict=False))

    def named(name):
        start, _, rest = name.partition("]")
        return pairs.get(start + "]", start + "]") + rest

    return named


def as_arguments(given, args):
    """One gradient for each argument, in the structure of the arguments."""
    parts = (given,) if len(args) == 1 and not isinstance(given, list | tuple) else given
    if isinstance(parts, np.ndarray) or not isinstance(parts, list | tuple):
        raise TypeError(
            f"vjp(d_out, *args) must return one gradient for each of the {len(args)} arguments, "
            f"got {type(parts).__name__}"
        )
    if len(parts) != len(args):
        raise ValueError(
            f"vjp(d_out, *args) returned {len(parts)} gradients for {len(args)} arguments; None "
            "may stand for one that is frozen or an integer"
        )
    return tuple(parts)


def like(out, rng):
    """Random numbers in the structure of out."""
    if isinstance(out, list | tuple):
        parts = [like(part, rng) for part in out]
        return type(out)(*parts) if hasattr(out, "_fields") else type(out)(parts)
    if isinstance(out, dict):
        return {key: like(part, rng) for key, part in out.items()}
    return rng.standard_normal(np.shape(out))


def dot(R, out):
    """Σ R ∘ out, over all parts."""
    if isinstance(out, dict):
        return float(sum(dot(R[key], part) for key, part in out.items()))
    if isinstance(out, list | tuple):
        return float(sum(dot(r, part) for r, part in zip(R, out, strict=True)))
    return float(np.sum(R * np.asarray(out)))


def combined(a, R, b, S):
    """a R + b S, over all parts."""
    if isinstance(R, dict):
        return {key: combined(a, R[key], b, S[key]) for key in R}
    if isinstance(R, list | tuple):
        parts = [combined(a, r, b, s) for r, s in zip(R, S, strict=True)]
        return type(R)(*parts) if hasattr(R, "_fields") else type(R)(parts)
    return a * R + b * S


def linearity(pulled, R, S, gradients, other):
    """A row where vjp is not linear in d_out."""
    both = pulled(combined(2.0, R, -3.0, S))
    for name, gradient in both.items():
        right = 2 * gradients[name] - 3 * other[name]
        size = 2 * np.abs(gradients[name]).max(initial=0) + 3 * np.abs(other[name]).max(initial=0)
        if not np.abs(gradient - right).max(initial=0) <= 1e-9 * size:
            return [failed_row("linearity", f"vjp is not linear in d_out: see {name}")]
    return []


def repetition(pulled, R, gradients):
    """A row where a second call of vjp gives something else."""
    again = pulled(R)
    if differs := unequal(gradients, again):
        return [failed_row("second call", f"vjp does not repeat: another gradient of {differs}")]
    return []


def snapshot(args):
    """What the arguments hold, to be compared."""
    if isinstance(args, list | tuple):
        return [snapshot(part) for part in args]
    if isinstance(args, dict):
        return [(key, snapshot(part)) for key, part in args.items()]
    return args.tobytes() if isinstance(args, np.ndarray) else repr(args)
