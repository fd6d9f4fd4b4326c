"""Lesson 04: write one, predict one, then run `tinytie exercise 4`. About 25 minutes."""


def tied_backward(E, W, x, y):
    """dE (V, D), the gradient of the tied loss with respect to its one matrix E.

    Forward:  e = E[x],  h = tanh(W e),  s = E h,  loss = mean of −log softmax(s)[y].
    E (V, D), W (D, D), x and y (B, T) token ids. Use what you like of tinytie.ops, or nothing.
    The law: bump one entry of E, which moves the lookup AND the scores, and see the loss move.
    """
    raise NotImplementedError("lesson 04, exercise 1: write the gradient of the tied matrix")


def rejected(repeats):
    """Which of five wrong rules for dE a gradient check rejects: a set of numbers, as {1, 2}.

    repeats: False on a batch in which no word is looked up twice, True where one is.

        1   dE = dE_out
        2   dE = dE_in
        3   dE = (dE_in + dE_out) / 2
        4   dE = dE_out;   dE[x] = dE_in[x]
        5   dE = dE_out;   dE[x] += de          # de (B, T, D): the gradient of the looked-up rows
    """
    raise NotImplementedError("lesson 04, exercise 2: predict which rules are rejected")
