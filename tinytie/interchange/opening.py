"""A model from a file, whoever wrote it: a checkpoint of ours, or a GPT-2 as it is released.

A GPT-2 is a folder with `model.safetensors`, `vocab.json` and `merges.txt`, or the first of them;
`config.json` is read for the number of heads where it is there.
"""

import os
from pathlib import Path
from typing import Any, NamedTuple

from tinytie.errors import CheckpointError
from tinytie.files.checkpoint import load_checkpoint
from tinytie.files.safetensors import open_arrays
from tinytie.files.strict_json import strict_json
from tinytie.interchange import gpt2
from tinytie.interchange.pytorch import from_torch
from tinytie.text.byte_level import NAME, ByteLevel
from tinytie.text.reading import Reader, reader_of

ARRAYS = "model.safetensors"
OURS = "tinytie checkpoint "  # how the format in the metadata of a checkpoint begins
TOLD = "options"  # the metadata in which `tinytie convert` writes what no array tells
LIKE_OURS = {"activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}  # in config.json


class Opened(NamedTuple):
    """A model and what its file says of words; None where it says nothing."""

    model: Any
    words: list[str] | None
    tokenizer: str | None
    subwords: ByteLevel | None = None  # of a GPT-2, which has files of its own for them

    def reader(self) -> Reader:
        """What reads text for the model. Raises ValueError where there is no such thing."""
        if self.subwords is not None:
            return self.subwords
        if self.words is None or self.tokenizer is None:
            raise ValueError("it was saved without a vocabulary or tokenizer, so it has no words")
        return reader_of(self.words, self.tokenizer)

    def labels(self) -> tuple[list[str], dict[str, int]]:
        """The words to be shown, and the row of each word that may be asked for."""
        if self.subwords is not None or self.tokenizer == NAME:
            reader = self.reader()
            return reader.words, reader.rows
        if not self.words or not isinstance(self.words[0], str):
            raise ValueError("it holds no list of words; save it with vocabulary=[...]")
        return self.words, {word: row for row, word in enumerate(self.words)}


def open_model(path: str | os.PathLike[str], **options: Any) -> Opened:
    """The model of a file or folder. options: as of `from_torch`, for a file from elsewhere.

    Raises CheckpointError, which names the file, on what is no model; ValueError on words that
    cannot be read; OSError where there is no such file. Holds hardly more than the model itself.
    """
    file = arrays_of(path)
    with open_arrays(file) as arrays:
        if not arrays.metadata.get("format", "").startswith(OURS):
            try:
                return foreign(file, arrays, options)
            except (ValueError, TypeError) as error:
                raise CheckpointError(str(error)) from None
    if options:
        names = ", ".join(options)
        raise ValueError(f"{str(file)!r} is a checkpoint of tinytie and needs no {names}")
    return Opened(*load_checkpoint(file)[:3])


def arrays_of(path):
    """The file with the arrays, of a folder or as it is named."""
    path = Path(path)
    if not path.is_dir():
        return path
    if not (path / ARRAYS).is_file():
        raise ValueError(f"the folder {str(path)!r} holds no {ARRAYS}")
    return path / ARRAYS


def foreign(file, arrays, options):
    """A model under other names, with the words that lie beside it or in its metadata."""
    told = strict_json(arrays.metadata.get(TOLD, "{}"), f"metadata {TOLD!r}")
    told = {name: tuple(v) if name == "dropout" and isinstance(v, list) else v
            for name, v in told.items()}  # fmt: skip
    words, tokenizer = told.pop("vocabulary", None), told.pop("tokenizer", None)
    is_gpt2 = any(name.endswith(gpt2.FIRST) for name in arrays)
    told |= config_beside(file.with_name("config.json")) if is_gpt2 else {}
    model = from_torch(arrays, **told | options)
    if not is_gpt2 or not file.with_name("vocab.json").is_file():
        return Opened(model, words, tokenizer)
    subwords = ByteLevel.load(file.parent)
    if len(subwords.words) != model.vocab_in:
        raise ValueError(
            f"vocab.json has {len(subwords.words)} subwords, the model {model.vocab_in} rows"
        )
    return Opened(model, subwords.spellings, NAME, subwords)


def config_beside(path):
    """The number of heads that `config.json` tells, where there is one."""
    if not path.is_file():
        return {}
    config = strict_json(path.read_bytes(), path.name)
    for name, ours in LIKE_OURS.items():
        if config.get(name, ours) != ours:
            raise ValueError(f"{path.name}: {name} is {config[name]!r}, our model has {ours!r}")
    return {"n_heads": config["n_head"]} if "n_head" in config else {}
