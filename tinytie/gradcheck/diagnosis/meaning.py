"""What an entry of a model's parameter stands for: a word, a unit, a gate."""

from typing import Any

import numpy as np

TOKENS = ("E", "E_in", "E_out", "E_source", "E_target", "c")
GATES = {"rnn": ("",), "gru": ("reset gate r", "update gate z", "new value n"),
         "lstm": ("input gate i", "forget gate f", "new value g", "output gate o")}  # fmt: skip


def token_ids_of(model, x, y):
    """Matrix -> where its rows may be looked up or scored, in words -> the ids that stand there."""
    x, y = np.asarray(x), np.asarray(y)
    if not hasattr(model, "embedding_names") or not x.dtype.kind == y.dtype.kind == "i":
        return {}
    if not hasattr(model, "tying"):
        places = {"among the inputs": x, "among the targets": y}
        return dict.fromkeys(TOKENS, places)
    source, target = {"in the source": x}, {"in the target": y}
    shared = source | target if model.tying == "three-way" else target
    return dict.fromkeys(TOKENS, shared) | {"E_source": source}


def meaning_of(model, name, index, ids, words=None):
    """In words: "token 4, the word 'cat', twice among the inputs and never among the targets".

    ids: as from `token_ids_of`.
    """
    if not index:
        return ""
    if name in ids:
        return token(index[0], ids[name], words)
    if name[:1] in "WUb" and name[1:].isdigit() and getattr(model, "cell", None) in GATES:
        return unit(model, name, index)
    return ""


def token(row, ids, words):
    """The id, its word, and how often it occurs in the batch."""
    word = "" if words is None else f", the word {words[row]!r}"
    found = [f"{times(int(np.sum(np.asarray(a) == row)))} {where}" for where, a in ids.items()]
    return f"token {row}{word}, {' and '.join(found)}"


def times(n):
    """never, once, twice, 3 times"""
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n} times")


def unit(model, name, index):
    """The gate and the unit of a recurrent layer."""
    gate, row = divmod(index[0], model.d_hidden)
    called = GATES[model.cell][gate]
    return f"layer {name[1:]}, {called + ', ' if called else ''}unit {row}"


def numbers_of(model, y):
    """Numbers that a constant factor may come from."""
    targets = np.asarray(y)
    targets = targets[:, 1:] if hasattr(model, "tying") else targets
    numbers: dict[str, Any] = {"N": targets.size}
    if targets.ndim == 2:
        numbers = dict(zip("BT", targets.shape, strict=True)) | {"N = B·T": targets.size}
    numbers["V"] = getattr(model, "target_size", getattr(model, "vocab_size", 1))
    for letter, name in (("D", "d_embed"), ("H", "d_hidden"), ("d", "d_model")):
        if hasattr(model, name):
            numbers[letter] = getattr(model, name)
    numbers |= {name: getattr(model, name, 1) for name in ("embed_scale", "n_layers")}
    if getattr(model, "padding_id", None) is not None:
        share = float(np.mean(targets != model.padding_id))
        numbers["the share of targets that count"] = share
    return {name: value for name, value in numbers.items() if np.ndim(value) == 0}
