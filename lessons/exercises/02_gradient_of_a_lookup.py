"""Lesson 02: write these four, then run `tinytie exercise 2`. About 15 minutes."""


def lookup_backward_loop(de, x, V):
    """The gradient of e = E[x] with respect to E, with a plain Python loop over the places.

    de (B, T, D) is the gradient of the loss with respect to e; x (B, T) holds the token ids;
    returns dE (V, D). The law: dE is the finite difference of the loss, row by row.
    """
    raise NotImplementedError("lesson 02, exercise 1: write the loop")


def lookup_backward(de, x, V):
    """The same without a loop. NumPy's `np.add.at` is made for this."""
    raise NotImplementedError("lesson 02, exercise 2: write it with np.add.at")


def zero_rows(x, V):
    """Which rows of dE must be zero, whatever the loss: a list of ids in rising order."""
    raise NotImplementedError("lesson 02, exercise 3: name the rows that are zero")


def lookup(x, E):
    """The rows of E (V, D) at the ids x (B, T): e (B, T, D). It goes onto your own page."""
    raise NotImplementedError("lesson 02, exercise 4: write the lookup itself")
