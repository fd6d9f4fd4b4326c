"""What a check accepts, and what makes a comparison impossible from the start."""

import math

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


def check_params(params):
    """A dict of arrays of real floats."""
    if not isinstance(params, dict):
        raise TypeError(f"params must be a dict of arrays, got {type(params).__name__}")
    if not params:
        raise ValueError("params is empty: there is nothing to check")
    for name, array in params.items():
        if not isinstance(array, np.ndarray):
            raise TypeError(
                f"params[{name!r}] must be an array, got {type(array).__name__}; a number can be "
                "np.array(number)"
            )
        if array.dtype.kind != "f":
            raise TypeError(f"params[{name!r}] must hold floats, got dtype {array.dtype}")


def check_grads(params, grads):
    """A gradient of each parameter's shape, as arrays; dtype float32 beside float64 is refused."""
    if not isinstance(grads, dict):
        raise TypeError(f"grads must be a dict of arrays, got {type(grads).__name__}")
    missing = [name for name in params if name not in grads]
    unknown = [name for name in grads if name not in params]
    if missing or unknown:
        raise ValueError(
            f"grads must have the names of params, {list(params)}; missing {missing}, "
            f"unknown {unknown}"
        )
    checked = {name: as_gradient(name, grads[name]) for name in params}
    for name, gradient in checked.items():
        if wrong := misfit(params[name], gradient):
            raise (TypeError if "dtype" in wrong else ValueError)(f"grads[{name!r}] has {wrong}")
    return checked


def as_gradient(name, gradient):
    """An array of real numbers, a copy: the loss may write into what it was made from."""
    try:
        gradient = np.array(gradient)
    except ValueError:
        raise TypeError(f"grads[{name!r}] must be an array, got a ragged list") from None
    if gradient.dtype.kind not in "fiu":
        raise TypeError(f"grads[{name!r}] must hold real numbers, got dtype {gradient.dtype}")
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


def obstacle(name, params):
    """Why differences of this array would mean nothing; "" where they do."""
    array = params[name]
    if array.size == 0:
        return "it has no entries"
    if array.dtype.itemsize < 8:
        return f"{array.dtype} is too coarse for differences: check a float64 copy"
    if not array.flags.writeable:
        return "it is read-only, so that it cannot be bumped: check a copy"
    if any(step == 0 and n > 1 for step, n in zip(array.strides, array.shape, strict=True)):
        return "several of its entries share one place in memory: check a copy"
    for other, their in params.items():
        if other != name and np.may_share_memory(array, their) and np.shares_memory(array, their):
            return f"it shares memory with {other!r}, so that bumping one moves both"
    return ""
