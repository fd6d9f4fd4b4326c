"""Lesson 13: write these two, then run `tinytie exercise 13`. About 30 minutes."""


def entropy_rate(P):
    """Nats a word of a text; row i of P (V, V) holds the chances of each next word after word i.

    P is positive and each row sums to 1. The lesson's words were all equally frequent; these are
    not. How often word i occurs in the long run is π_i, with π P = π and Σ π = 1.
    """
    raise NotImplementedError("lesson 13, exercise 1: weigh each row by how often it is used")


def tied_twin(E_in, E_out, W):
    """(E, W_wide, P): a tied model that says the same as the untied one, with more numbers in E.

    Untied:  e = E_in[x],  a = W e,       s = E_out h.        E_in (V, D), E_out (V, H), W (H, D)
    Tied:    e = E[x],     a = W_wide e,  o = P h,  s = E o.

    Here D ≠ H. E is (V, D + H), W_wide (H, D + H), P (D + H, H). The law: for every word the same
    a, and for every h the same scores.
    """
    raise NotImplementedError(
        "lesson 13, exercise 2: build the tied model that contains the untied"
    )
