"""What a checkpoint says beside its arrays: strings, as the safetensors format has it.

format, version, model         of the file, of this package, and the name of the model's class
config, frozen                 in JSON, as all that follow: what makes a model of the same kind
tied, roles                    which uses each token matrix serves: {"E": ["input", "output"]}
vocabulary, tokenizer          null, or what turns text into ids
training                       null, or all that is needed to go on
"""

import json

import numpy as np

import tinytie
from tinytie.errors import CheckpointError, quoted
from tinytie.files.nested import pack
from tinytie.files.strict_json import strict_json

FORMAT = "tinytie checkpoint 1"
TEXTS = ("sha256", "format", "version", "model")
IN_JSON = ("config", "frozen", "tied", "roles", "vocabulary", "tokenizer", "training")
USES = {2: ("input", "output"), 3: ("encoder", "decoder", "output")}  # of `model.embeddings()`


def described(model, vocabulary, tokenizer, training):
    """The metadata, and by name the arrays of frozen and training that they speak of."""
    arrays: dict[str, np.ndarray] = {}
    uses = roles(model)
    told = {
        "config": model.config,
        "frozen": pack(model.frozen, "frozen", arrays),
        "tied": is_tied(uses),
        "roles": uses,
        "vocabulary": vocabulary,
        "tokenizer": tokenizer,
        "training": pack(training, "training", arrays),
    }
    check_told(model, told)
    texts = {"format": FORMAT, "version": tinytie.__version__, "model": type(model).__name__}
    return texts | {name: json.dumps(value) for name, value in told.items()}, arrays


def parsed(metadata):
    """The metadata with their JSON read: each field there, and no other."""
    check_format(metadata.get("format", ""))
    if metadata.keys() != {*TEXTS, *IN_JSON}:
        wrong = sorted(metadata.keys() ^ {*TEXTS, *IN_JSON})
        raise CheckpointError(f"its metadata lack, or should not have, {quoted(wrong)}")
    told = {name: strict_json(metadata[name], f"metadata {name!r}") for name in IN_JSON}
    return told | {"model": metadata["model"]}


def check_format(found):
    """Whether `save` wrote this, in the format of today."""
    if not found.startswith("tinytie checkpoint "):
        raise CheckpointError(
            "a safetensors file, but no checkpoint of tinytie: its metadata say nothing of a "
            "model; tinytie.files.safetensors.read_arrays gives its arrays"
        )
    if found != FORMAT:
        raise CheckpointError(
            f"its format is {quoted(found)}, this version of tinytie reads {quoted(FORMAT)}"
        )


def check_told(model, told):
    """What is said of a model is true of it, on the way out as on the way in."""
    uses = roles(model)
    if (told["roles"], told["tied"]) != (uses, is_tied(uses)):
        raise CheckpointError("its record of the tie is not that of its config")
    check_frozen(model.frozen, model.shapes)
    check_vocabulary(told["vocabulary"], model.vocab_size)
    if not isinstance(told["tokenizer"], str | None):
        raise CheckpointError("the tokenizer must be the name of one, or None")
    if not isinstance(told["training"], dict | None):
        raise CheckpointError("training must be a dict, or None")


def roles(model):
    """Which uses each token matrix serves: {"E": ["input", "output"]} where tied."""
    matrices = model.embeddings()
    uses = {
        name: [use for use, E in zip(USES[len(matrices)], matrices, strict=True)
               if E is model.params[name]]
        for name in model.embedding_names
    }  # fmt: skip
    if sum(map(len, uses.values())) != len(matrices):
        raise CheckpointError(
            f"{' and '.join(uses)} are one array under several names; build the model tied, or "
            "use tie_weights, so that it is saved once"
        )
    return uses


def is_tied(uses):
    """Whether one matrix serves two uses or more."""
    return any(len(served) > 1 for served in uses.values())


def check_frozen(frozen, shapes):
    """Names of parameters, each with True or with row ids that it has."""
    if not isinstance(frozen, dict) or not frozen.keys() <= shapes.keys():
        raise CheckpointError("frozen must map names of parameters to True or row ids")
    for name, rows in frozen.items():
        if rows is not True and not are_row_ids(rows, shapes[name][0]):
            raise CheckpointError("its frozen rows must be True or some of its row ids", name)


def are_row_ids(rows, n_rows):
    """Whether this is an array or a list of whole numbers in 0 … n_rows − 1."""
    if isinstance(rows, list) and all(type(row) is int for row in rows):
        return all(0 <= row < n_rows for row in rows)
    if not isinstance(rows, np.ndarray) or rows.ndim != 1 or rows.dtype.kind not in "iu":
        return False
    return bool(((rows >= 0) & (rows < n_rows)).all())


def check_vocabulary(vocabulary, vocab_size):
    """None, or as many different words as the model has; for a pair of sizes, a pair of lists."""
    if vocabulary is None:
        return
    pairs = [(vocabulary, vocab_size)]
    if isinstance(vocab_size, tuple):
        if not isinstance(vocabulary, list | tuple) or len(vocabulary) != len(vocab_size):
            raise CheckpointError(f"the model needs {len(vocab_size)} vocabularies")
        pairs = list(zip(vocabulary, vocab_size, strict=True))
    for words, size in pairs:
        check_words(words, size)


def check_words(words, size):
    """A list of this many different strings."""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise CheckpointError("the vocabulary must be a list of strings")
    if len(words) != size:
        raise CheckpointError(f"the vocabulary has {len(words)} words, the model {size}")
    if len(set(words)) != size:
        raise CheckpointError("a word occurs twice in the vocabulary")
