"""What a model accepts: each wrong input gets one sentence that says what to do."""

import math
import numbers
import operator

import numpy as np


def positive(name, value):
    """A size as an int of at least 1."""
    try:
        if isinstance(value, bool):
            raise TypeError
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")
    return value


def vocabulary_size(value):
    """At least two words: with one there is nothing to predict."""
    value = positive("vocab_size", value)
    if value < 2:
        raise ValueError(f"vocab_size must be at least 2, got {value}: nothing could be predicted")
    return value


def vocabulary_sizes(value, tied):
    """One size for both sides, or a pair where they differ, which a tied matrix cannot serve."""
    if not isinstance(value, tuple | list):
        return vocabulary_size(value)
    if len(value) != 2:
        raise ValueError(f"vocab_size must be one size, or (V_in, V_out); got {describe(value)}")
    V_in, V_out = map(vocabulary_size, value)
    if V_in == V_out:
        return V_in
    if tied:
        raise ValueError(
            f"vocab_size is ({V_in}, {V_out}), but in a tied matrix row i stands for the same word "
            "on both sides, so both sides need one vocabulary; give one size, or tied=False"
        )
    return V_in, V_out


def finite(name, value):
    """A finite float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return float(value)


def flag(name, value):
    """True or False; a word such as "no", which counts as true in Python, is refused."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def share(name, value):
    """A share of at least 0 and less than 1."""
    value = finite(name, value)
    if not 0 <= value < 1:
        raise ValueError(f"{name} must be in [0, 1), got {value!r}")
    return value


def generator(rng):
    """A random generator from what `np.random.default_rng` takes."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"rng must be None, a whole number of at least 0, or a NumPy Generator, got {rng!r}"
        ) from None


def padding(padding_id, vocab_size):
    """An id of the vocabulary, or None."""
    if padding_id is None:
        return None
    if isinstance(padding_id, bool) or not isinstance(padding_id, numbers.Integral):
        raise TypeError(f"padding_id must be a token id or None, got {padding_id!r}")
    padding_id = int(padding_id)
    if not 0 <= padding_id < vocab_size:
        raise ValueError(f"padding_id is {padding_id}, outside 0 … {vocab_size - 1}")
    return padding_id


def a_model(value, *needed):
    """Raises TypeError where the value has not what is needed of a model."""
    if not all(hasattr(value, name) for name in needed):
        raise TypeError(
            f"a model is needed, such as tinytie.RNNLM(...), with {' and '.join(needed)}; got "
            f"{describe(value)}"
        )


def describe(value):
    """A few words on what was given."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    return repr(value)


def one_of(name, value, choices):
    """An option from a closed list."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")
    return value


def floating(dtype):
    """float32 or float64, in the byte order of this machine."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype must be float32 or float64, got {dtype!r}") from None
    if found not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {found}")
    return found


def token_ids(name, ids, vocab_size):
    """A (B, T) array of integers in 0 … V − 1, with B and T at least 1."""
    try:
        ids = np.asarray(ids)
    except ValueError:
        raise ValueError(
            f"{name} has rows of different lengths; cut them, or fill them with a padding_id"
        ) from None
    if ids.ndim != 2:
        raise ValueError(
            f"{name} must have shape (B, T), got {ids.shape}; one sentence is {name}[np.newaxis]"
        )
    if ids.size == 0:
        raise ValueError(f"{name} has shape {ids.shape}: B and T must both be at least 1")
    if ids.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integer token ids, got dtype {ids.dtype}")
    low, high = ids.min(), ids.max()
    if low < 0 or high >= vocab_size:
        wrong = low if low < 0 else high
        raise ValueError(f"{name} holds the id {wrong}, outside 0 … {vocab_size - 1}")
    return ids


def next_tokens(ids, vocab_size):
    """One token a row, (B,), as a (B, 1) array of ids."""
    ids = np.asarray(ids)
    if ids.ndim != 1:
        raise ValueError(f"ids must have shape (B,), the next token of each row; got {ids.shape}")
    return token_ids("ids", ids[:, None], vocab_size)


def targets(y, x, vocab_size):
    """Target ids of the same shape as x."""
    y = token_ids("y", y, vocab_size)
    if y.shape != x.shape:
        raise ValueError(
            f"x and y must have the same shape, got {x.shape} and {y.shape}; y[t] is the word "
            "after x[t]"
        )
    return y


def counted_targets(y, padding_id):
    """Which targets carry a loss: all (None), or those that are not padding."""
    if padding_id is None:
        return None
    counted = y != padding_id
    if not counted.any():
        raise ValueError(
            f"every target is the padding id {padding_id}: there is no loss to average"
        )
    return counted


def array_of(name, value, shape, dtype):
    """A fresh copy of a number array with exactly this shape, in the model's dtype."""
    try:
        value = np.array(value)
        if value.dtype.kind == "c":
            raise TypeError("it is complex")
        value = value.astype(dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be an array of real numbers: {error}") from None
    if value.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {value.shape}")
    return value


def check_memory(memory, shape, dtype):
    """Memory that the caller lends for the scores of one step."""
    if not isinstance(memory, np.ndarray) or (memory.shape, memory.dtype) != (shape, dtype):
        raise ValueError(
            f"memory must be an array of shape {shape}, one row of scores for each target, and of "
            f"dtype {dtype}, as memory_for({shape[0]}) makes it; got {describe(memory)}"
        )


def check_params(params, shapes, dtype):
    """The arrays that the model is about to read: all there, each of its shape and dtype."""
    if not isinstance(params, dict):
        raise TypeError(f"params must be a dict of arrays by name, got {describe(params)}")
    if params.keys() != shapes.keys():
        missing, extra = (
            sorted(shapes.keys() - params.keys()),
            sorted(params.keys() - shapes.keys()),
        )
        raise ValueError(f"params must hold {sorted(shapes)}; missing {missing}, unknown {extra}")
    for name, shape in shapes.items():
        array = params[name]
        if not isinstance(array, np.ndarray) or array.dtype != dtype:
            got = getattr(array, "dtype", type(array).__name__)
            raise TypeError(f"params[{name!r}] must be an array of {dtype}, got {got}")
        if array.shape != shape:
            raise ValueError(f"params[{name!r}] must have shape {shape}, got {array.shape}")
