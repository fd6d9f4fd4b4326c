"""What a checkpoint says beside its arrays: strings, as the safetensors format has it.

format, version, model         of the file, of this package, and the name of the model's class
config, frozen                 in JSON, as all that follow: what makes a model of the same kind
tied, roles                    which uses each token matrix serves: {"E": ["input", "output"]}
vocabulary, tokenizer          null, or what turns text into ids
training                       null, or all that is needed to go on

frozen and training are nested values. JSON has null, booleans, numbers, strings, lists and objects;
all else becomes an object with one name that starts with "$":

    {"$array": name}    the array of this name: the value's own place, as training/optimizer/m/E
    {"$scalar": name}   a NumPy scalar, which keeps its dtype
    {"$float": text}    inf, -inf or nan
    {"$tuple": [...]}   a tuple;   {"$LSTMState": [...]}   a named one
    {"$dict": {...}}    a dict in which a key starts with "$"
"""

import json
import math
from typing import Any

import numpy as np

import tinytie
from tinytie.errors import CheckpointError, quoted
from tinytie.files.strict_json import strict_json
from tinytie.ops.cells import LSTMState

FORMAT = "tinytie checkpoint 1"
TEXTS = ("sha256", "format", "version", "model")
IN_JSON = ("config", "frozen", "tied", "roles", "vocabulary", "tokenizer", "training")
USES = {2: ("input", "output"), 3: ("encoder", "decoder", "output")}  # of `model.embeddings()`


def described(model, vocabulary, tokenizer, training):
    """The metadata, and by name the arrays of frozen and training that they speak of."""
    check_frozen(model.frozen, model.shapes)
    check_vocabulary(vocabulary, model.config["vocab_size"])
    if not isinstance(tokenizer, str | None):
        raise CheckpointError("the tokenizer must be the name of one, or None")
    if not isinstance(training, dict | None):
        raise CheckpointError("training must be a dict, or None")
    arrays: dict[str, np.ndarray] = {}
    uses = roles(model)
    told = {
        "config": model.config,
        "frozen": pack(model.frozen, "frozen", arrays),
        "tied": any(len(served) > 1 for served in uses.values()),
        "roles": uses,
        "vocabulary": vocabulary,
        "tokenizer": tokenizer,
        "training": pack(training, "training", arrays),
    }
    texts = {"format": FORMAT, "version": tinytie.__version__, "model": type(model).__name__}
    return texts | {name: json.dumps(value) for name, value in told.items()}, arrays


def parsed(metadata):
    """The metadata with their JSON read: each field there, and no other."""
    found = metadata.get("format", "")
    if not found.startswith("tinytie checkpoint "):
        raise CheckpointError(
            "a safetensors file, but no checkpoint of tinytie: its metadata say nothing of a "
            "model; tinytie.files.safetensors.open_arrays gives its arrays"
        )
    if found != FORMAT:
        raise CheckpointError(
            f"its format is {quoted(found)}, this version of tinytie reads {quoted(FORMAT)}"
        )
    if wrong := metadata.keys() ^ {*TEXTS, *IN_JSON}:
        raise CheckpointError(f"its metadata lack, or should not have, {quoted(sorted(wrong))}")
    return metadata | {name: strict_json(metadata[name], f"metadata {name!r}") for name in IN_JSON}


def check_true(metadata, again):
    """The file says, to the letter, what `save` would write of the model made from it."""
    for name in IN_JSON:
        if name != "config" and metadata[name] != again[name]:
            raise CheckpointError(f"its metadata {name!r} do not fit its config and its arrays")


def roles(model):
    """Which uses each token matrix serves: {"E": ["input", "output"]} where tied."""
    matrices = model.embeddings()
    uses: dict[str, list[str]] = {}
    for name, array in model.params.items():
        labelled = zip(USES[len(matrices)], matrices, strict=True)
        if served := [use for use, E in labelled if E is array]:
            uses[name] = served
    if sum(map(len, uses.values())) != len(matrices):
        raise CheckpointError(
            f"{' and '.join(uses)} are one array under several names; build the model tied, or "
            "use tie_weights, so that it is saved once"
        )
    return uses


def check_frozen(frozen, shapes):
    """Names of parameters, each with True or with row ids that it has."""
    if not isinstance(frozen, dict) or not frozen.keys() <= shapes.keys():
        raise CheckpointError("frozen must map names of parameters to True or row ids")
    for name, rows in frozen.items():
        if isinstance(rows, np.ndarray) and rows.dtype.kind in "iu":
            rows = rows.tolist()
        ids = range(shapes[name][0])
        are_ids = isinstance(rows, list) and all(type(row) is int and row in ids for row in rows)
        if rows is not True and not are_ids:
            raise CheckpointError("its frozen rows must be True or some of its row ids", name)


def check_vocabulary(vocabulary, vocab_size):
    """None, or as many different words as the model has; for a pair of sizes, a pair of lists."""
    if vocabulary is None:
        return
    lists, sizes = [vocabulary], (vocab_size,)
    if isinstance(vocab_size, tuple):
        lists, sizes = vocabulary, vocab_size
    if not isinstance(lists, list | tuple) or len(lists) != len(sizes):
        raise CheckpointError(f"the model needs {len(sizes)} vocabularies")
    for words, size in zip(lists, sizes, strict=True):
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise CheckpointError("the vocabulary must be a list of strings")
        if len(words) != size:
            raise CheckpointError(f"the vocabulary has {len(words)} words, the model {size}")
        if len(set(words)) != size:
            raise CheckpointError("a word occurs twice in the vocabulary")


def pack(value: Any, place: str, arrays: dict[str, np.ndarray]) -> Any:
    """The JSON of a value; the arrays in it go to `arrays`, each under its place.

    Raises CheckpointError, with the place, on what has no JSON.
    """
    if isinstance(value, np.ndarray | np.generic):
        arrays[place] = np.asarray(value)
        return {"$array" if isinstance(value, np.ndarray) else "$scalar": place}
    if type(value) is float and not math.isfinite(value):
        return {"$float": repr(value)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, dict):
        packed = {key: pack(part, below(place, key), arrays) for key, part in value.items()}
        return {"$dict": packed} if any(key.startswith("$") for key in value) else packed
    if type(value) not in (list, tuple, LSTMState):
        raise CheckpointError(f"{place} is a {type(value).__name__}, which has no JSON")
    parts = [pack(part, f"{place}/{i}", arrays) for i, part in enumerate(value)]
    return parts if type(value) is list else {f"${type(value).__name__}": parts}


def unpack(value, place, arrays):
    """The value that `pack` had at this place; of anything else, one that it packs differently."""
    match value:
        case {"$array": str(name)} if name == place and name in arrays.tensors:
            return arrays[name]
        case {"$scalar": str(name)} if name == place and name in arrays.tensors:
            return arrays[name][()]
        case {"$float": "inf" | "-inf" | "nan" as text}:
            return float(text)
        case {"$dict": dict(inner)}:
            return {key: unpack(part, below(place, key), arrays) for key, part in inner.items()}
        case {"$tuple": list(parts)}:
            return tuple(unpack(parts, place, arrays))
        case {"$LSTMState": [_, _] as parts}:
            return LSTMState(*unpack(parts, place, arrays))
        case dict():
            return {key: unpack(part, below(place, key), arrays) for key, part in value.items()}
        case list():
            return [unpack(part, f"{place}/{i}", arrays) for i, part in enumerate(value)]
    return value


def below(place, key):
    """The place of a dict's entry, a JSON pointer (RFC 6901), so that no two are the same."""
    if type(key) is not str:
        raise CheckpointError(f"{place} has the key {quoted(key)}; JSON needs strings")
    return f"{place}/{key.replace('~', '~0').replace('/', '~1')}"
