"""Lesson 01: write these three, then run `tinytie exercise 1`. About 15 minutes."""


def onehot(x, V):
    """Each id of x as a row with a single 1: integers (...) -> floats (..., V).

    The law: onehot(x, V) @ E equals E[x], for every E with V rows.
    """
    raise NotImplementedError("lesson 01, exercise 1: write onehot")


def embedding_parameters(V, D, tied):
    """How many numbers the token matrices of a model hold, tied (True) or untied (False)."""
    raise NotImplementedError("lesson 01, exercise 2: count the embedding parameters")


def share_saved(V, D, other):
    """The share of ALL parameters of the untied model that tying saves, from 0 to 1.

    other: how many parameters the model has that are in no token matrix.
    """
    raise NotImplementedError("lesson 01, exercise 3: say what share of all tying saves")
