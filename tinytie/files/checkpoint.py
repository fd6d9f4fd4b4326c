"""Checkpoints: a model in a safetensors file, each matrix once, and which uses it serves beside it.

The tensors are `model.params` under their own names, then whatever arrays `frozen` and `training`
hold, under names like training/optimizer/m/E. `metadata.py` says what stands beside them.

The loader takes nothing on trust: a SHA-256 over the whole file is compared first, then the shapes
with the model that the config describes, and at last the metadata with what `save` would write.
"""

import os
from typing import Any, NamedTuple

from tinytie.errors import CheckpointError, quoted
from tinytie.files.atomic import atomic_file
from tinytie.files.metadata import check_true, described, parsed, unpack
from tinytie.files.safetensors import naming, open_arrays, write_arrays
from tinytie.models.bodies import BODIES
from tinytie.models.translator import Translator

CLASSES: list[Any] = [*(kind.model for kind in BODIES.values()), Translator]
MODELS = {cls.__name__: cls for cls in CLASSES}


class Checkpoint(NamedTuple):
    """What `load_checkpoint` returns; all but the model is None where it was not saved."""

    model: Any
    vocabulary: list[str] | None
    tokenizer: str | None
    training: dict[str, Any] | None


def save(
    path: str | os.PathLike[str], model: Any, *, vocabulary: list[str] | None = None,
    tokenizer: str | None = None, training: dict[str, Any] | None = None,
    keep_previous: bool = True,
) -> None:  # fmt: skip
    """Write a model, its vocabulary, and the state of its training.

    vocabulary: the V words in the order of their ids. training: a nested dict of JSON values,
    arrays, tuples and LSTMState, which comes back with equal values, dtypes and nesting; Python
    floats may be inf or nan, arrays may not. The file that was there is kept as
    `<path>.previous` unless keep_previous=False, and at no moment does `path` hold half a file.

    Raises CheckpointError, and touches nothing, on a parameter of the wrong shape or dtype, a
    number that is not finite, or what has no place in the file; OSError where it cannot write.
    """
    with naming(path):
        name = type(model).__name__
        if MODELS.get(name) is not type(model):
            raise CheckpointError(f"cannot save a {name}, only {', '.join(MODELS)}")
        check_params(model, model.params)
        metadata, extra = described(model, vocabulary, tokenizer, training)
        with atomic_file(path, keep_previous=keep_previous) as file:
            write_arrays(file, model.params | extra, metadata)


def load(path: str | os.PathLike[str]) -> Any:
    """The model of a checkpoint, tied as it was saved. Raises as `load_checkpoint` does.

    To change the tying afterwards is an act of its own: `tinytie.tie_weights(model)` or
    `tinytie.untie_weights(model)`.
    """
    return load_checkpoint(path).model


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """All that `save` wrote.

    Raises CheckpointError, which names the file, the tensor and the reason, on any file that is
    not what `save` writes; OSError where there is no file or it cannot be read. Takes memory in
    proportion to the file's size, whatever the file says.
    """
    with open_arrays(path, widen=False) as arrays:
        told = parsed(arrays.metadata)
        arrays.check_digest()
        model = built(told["model"], told["config"], arrays.tensors)
        for name in model.shapes:
            model.params[name] = arrays[name]
        model.frozen = unpack(told["frozen"], "frozen", arrays)
        others = told["vocabulary"], told["tokenizer"], unpack(told["training"], "training", arrays)
        again, extra = described(model, *others)
        check_true(arrays.metadata, again)
        check_params(model, {n: t for n, t in arrays.tensors.items() if n not in extra})
        return Checkpoint(model, *others)


def built(name, config, tensors):
    """A model of this config without its arrays, all of which the file holds."""
    if name not in MODELS:
        raise CheckpointError(f"its model is {quoted(name)}, none of {', '.join(MODELS)}")
    if not isinstance(config, dict) or config.get("dtype") not in ("float32", "float64"):
        raise CheckpointError(f"its config is no dict of options with a dtype: {quoted(config)}")
    for option, value in config.items():
        if "layers" in option and type(value) is int and value > len(tensors):
            raise CheckpointError(f"{option} is {value}, but it holds {len(tensors)} tensors")
    options = {key: tuple(v) if isinstance(v, list) else v for key, v in config.items()}
    try:
        model = MODELS[name].sketch(**options)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        raise CheckpointError(f"its config makes no {name}: {error}") from None
    check_params(model, {n: t for n, t in tensors.items() if n in model.shapes})
    return model


def check_params(model, found):
    """All parameters of the model, and nothing else. found: name -> an array, or a Tensor."""
    for name, shape in model.shapes.items():
        if name not in found:
            raise CheckpointError(
                "missing; a file is loaded with the tying that it was saved with, and "
                "tie_weights or untie_weights changes a model afterwards", name,
            )  # fmt: skip
        given = [getattr(found[name], what, None) for what in ("dtype", "shape")]
        if given != [model.dtype, shape]:
            raise CheckpointError(
                f"is {given[0]} of shape {given[1]}, but the config makes it {model.dtype} of "
                f"shape {shape}", name,
            )  # fmt: skip
    for name in found.keys() - model.shapes.keys():
        raise CheckpointError("it has no place in the checkpoint", name)
