"""A model's file written for another program: PyTorch's names, or a GPT-2's folder."""

import json
import os
from pathlib import Path

from tinytie.files.atomic import atomic_file
from tinytie.files.checkpoint import save
from tinytie.files.safetensors import naming, write_arrays
from tinytie.interchange.opening import ARRAYS, LIKE_OURS, TOLD, Opened
from tinytie.interchange.pytorch import to_torch
from tinytie.text.byte_level import NAME, ByteLevel

UNTOLD = (  # the options that no array tells
    "n_heads", "norm", "activation", "positions", "max_len", "embed_scale", "dropout", "padding_id",
)  # fmt: skip


def write_tinytie(path: str | os.PathLike[str], opened: Opened) -> None:
    """A checkpoint of ours. The merges of a GPT-2 are not kept: they must follow from the order of
    its vocabulary, as those of the released files do; otherwise a ValueError.
    """
    own = opened.subwords
    if own is not None and ByteLevel(own.spellings).merges != own.merges:
        raise ValueError("its merges do not follow from its vocabulary: a checkpoint cannot say so")
    save(path, opened.model, vocabulary=opened.words, tokenizer=opened.tokenizer)


def write_torch(path: str | os.PathLike[str], opened: Opened) -> None:
    """A safetensors file under PyTorch's names; what no array tells stands in the metadata."""
    config = opened.model.config
    told = {name: config[name] for name in UNTOLD if name in config}
    told |= {"vocabulary": opened.words, "tokenizer": opened.tokenizer}
    write(path, to_torch(opened.model), {TOLD: json.dumps(told)})


def write_gpt2(folder: str | os.PathLike[str], opened: Opened) -> None:
    """The files of a GPT-2, which other programs open; those of the words where it has subwords."""
    names, folder = to_torch(opened.model, names="gpt2"), Path(folder)
    model = opened.model
    config = {
        "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": model.vocab_size,
        "n_embd": model.d_model, "n_head": model.n_heads, "n_layer": model.n_layers,
        "n_positions": model.max_len, "n_inner": model.d_ff, "tie_word_embeddings": model.tied,
    }  # fmt: skip
    texts, reader = {}, opened.reader() if opened.tokenizer == NAME else None
    if isinstance(reader, ByteLevel):
        texts = reader.files()
        config |= {"bos_token_id": reader.start, "eos_token_id": reader.start}
    texts["config.json"] = json.dumps(config | LIKE_OURS, indent=2) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / ARRAYS, names, {})
    for name, text in texts.items():
        with atomic_file(folder / name) as file:
            file.write(text.encode())


def write(path, arrays, metadata):
    """A safetensors file that PyTorch's programs take for one of theirs."""
    with naming(path), atomic_file(path) as file:
        write_arrays(file, arrays, {"format": "pt"} | metadata)


WRITERS = {"tinytie": write_tinytie, "torch": write_torch, "gpt2": write_gpt2}
