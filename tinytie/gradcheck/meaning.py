"""What an entry of a model's parameter stands for: a word, a unit, a gate."""

import numpy as np

GATES = {"rnn": ("",), "gru": ("reset gate r", "update gate z", "new value n"),
         "lstm": ("input gate i", "forget gate f", "new value g", "output gate o")}  # fmt: skip


def meaning_of(model, name, index, x, y, words=None):
    """In words: "token 4, the word 'cat', twice among the inputs and never among the targets"."""
    if not index:
        return ""
    if name in ("E", "E_in", "E_out", "c"):
        return token(index[0], x, y, words)
    if name[:1] in "WUb" and name[1:].isdigit() and hasattr(model, "cell"):
        return unit(model, name, index)
    return ""


def token(row, x, y, words):
    """The id, its word, and how often it occurs in the batch."""
    word = "" if words is None else f", the word {words[row]!r}"
    inputs, targets = (times(int(np.sum(np.asarray(ids) == row))) for ids in (x, y))
    return f"token {row}{word}, {inputs} among the inputs and {targets} among the targets"


def times(n):
    """never, once, twice, 3 times"""
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n} times")


def unit(model, name, index):
    """The gate and the unit of a recurrent layer."""
    gate, row = divmod(index[0], model.d_hidden)
    called = GATES[model.cell][gate]
    return f"layer {name[1:]}, {called + ', ' if called else ''}unit {row}"
