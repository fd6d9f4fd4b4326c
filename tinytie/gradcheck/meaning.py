"""What an entry of a model's parameter stands for: a word, a unit, a gate."""

import numpy as np

GATES = {"rnn": ("",), "gru": ("reset gate r", "update gate z", "new value n"),
         "lstm": ("input gate i", "forget gate f", "new value g", "output gate o")}  # fmt: skip


def meaning_of(model, name, index, ids, words=None):
    """In words: "token 4, the word 'cat', twice among the inputs and never among the targets".

    ids: where a token may occur, in words -> the ids of the batch that stand there.
    """
    if not index:
        return ""
    if name in ("E", "E_in", "E_out", "E_source", "E_target", "c"):
        return token(index[0], ids, words)
    if name[:1] in "WUb" and name[1:].isdigit() and hasattr(model, "cell"):
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
