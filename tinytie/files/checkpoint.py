"""Checkpoints: a model in a safetensors file, each matrix once, and which uses it serves beside it.

The tensors are `model.params` under their own names, then whatever arrays `frozen` and `training`
hold, under names like training/optimizer/m/E. What the metadata hold stands in `metadata.py`.

The loader takes nothing on trust: a SHA-256 over the whole file is compared first, and what the
file says is compared with the model that its config describes before an array is made.
"""

import contextlib
import os
from typing import Any, NamedTuple

import numpy as np

from tinytie.errors import CheckpointError
from tinytie.files.atomic import atomic_file
from tinytie.files.metadata import check_told, described, parsed
from tinytie.files.nested import array_names, unpack
from tinytie.files.rebuild import MODELS, built
from tinytie.files.safetensors import (
    check_digest,
    open_plain,
    read_data,
    read_header,
    write_arrays,
)
from tinytie.models import inputs


class Checkpoint(NamedTuple):
    """What `load_checkpoint` returns; all but the model is None where it was not saved."""

    model: Any
    vocabulary: list[str] | None
    tokenizer: str | None
    training: dict[str, Any] | None


def save(
    path: str | os.PathLike[str], model: Any, *, vocabulary: list[str] | None = None,
    tokenizer: str | None = None, training: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Write a model, its vocabulary, and the state of its training.

    vocabulary: the V words in the order of their ids. training: a nested dict of JSON values,
    arrays, tuples and LSTMState, which comes back with equal values, dtypes and nesting; Python
    floats may be inf or nan, arrays may not. The file that was there is kept as
    `<path>.previous`, and at no moment does `path` hold half a file.

    Raises CheckpointError, and touches nothing, on a parameter of the wrong shape or dtype, a
    number that is not finite, or what has no place in the file; OSError where it cannot write.
    """
    with naming(path):
        check_model(model)
        metadata, extra = described(model, vocabulary, tokenizer, training)
        arrays = model.params | extra
        check_finite(arrays)
        with atomic_file(path, keep_previous=True) as file:
            write_arrays(file, arrays, metadata)


def load(path: str | os.PathLike[str]) -> Any:
    """The model of a checkpoint, tied as it was saved. Raises as `load_checkpoint` does.

    To change the tying afterwards is an act of its own: `tinytie.tie_weights(model)` or
    `tinytie.untie_weights(model)`.
    """
    return load_checkpoint(path).model


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """All that `save` wrote.

    Raises CheckpointError, which names the file, the tensor and the reason, on any file that is
    not exactly what `save` writes; OSError where there is no file or it cannot be read. Takes
    memory in proportion to the file's size, whatever the file says.
    """
    with naming(path):
        with open_plain(path) as file:
            header = read_header(file)
            told = parsed(header.metadata)
            check_digest(file, header)
            model = built(told["model"], told["config"], header.tensors)
            check_names(model.shapes, told, header.tensors)
            arrays = read_data(file, header)
        check_finite(arrays)
        return restored(model, told, arrays)


@contextlib.contextmanager
def naming(path):
    """Every CheckpointError from inside names the file."""
    try:
        yield
    except CheckpointError as error:
        error.path = os.fsdecode(path)
        raise
    except RecursionError:
        reason = "something in it is nested too deeply, or contains itself"
        raise CheckpointError(reason, path=os.fsdecode(path)) from None


def check_model(model):
    """One of our models, with the parameters that its options promise."""
    name = type(model).__name__
    if MODELS.get(name) is not type(model):
        raise CheckpointError(f"cannot save a {name}, only {', '.join(MODELS)}")
    try:
        inputs.check_params(model.params, model.shapes, model.dtype)
    except (TypeError, ValueError) as error:
        raise CheckpointError(str(error)) from None


def check_finite(arrays):
    """A checkpoint with a NaN would be a dead end."""
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise CheckpointError("holds numbers that are not finite", name)


def check_names(shapes, told, tensors):
    """Every tensor has exactly one place in the model, in frozen, or in training."""
    used = [*shapes, *array_names(told["frozen"]), *array_names(told["training"])]
    if len(set(used)) < len(used):
        raise CheckpointError("one tensor is used in two places")
    for name in tensors.keys() ^ set(used):
        reason = "it has no place in the checkpoint" if name in tensors else "missing"
        raise CheckpointError(reason, name)


def restored(model, told, arrays):
    """The model with the file's arrays, and all that was saved with it."""
    model.params = {name: arrays[name] for name in model.shapes}
    model.frozen = unpack(told["frozen"], arrays.__getitem__)
    check_told(model, told)
    training = unpack(told["training"], arrays.__getitem__)
    return Checkpoint(model, told["vocabulary"], told["tokenizer"], training)
