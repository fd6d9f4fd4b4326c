"""Lesson 06: write these two, then run `tinytie exercise 6`. About 25 minutes."""


def derivative_of_product(t, uses):
    """The total derivative, with respect to t, of t · t · … · t with `uses` factors.

    Do not look the formula up: add one partial derivative for each use.
    """
    raise NotImplementedError("lesson 06, exercise 1: add a partial derivative for each use")


def three_uses(E, W, U, x, y, z):
    """dE (V, D) where E has a third use: it also starts the state.

    Forward:  e = E[x],  h0 = E[z],  h = tanh(W e + U h0),  s = E h,
              loss = mean of −log softmax(s)[y] over the N places.
    E (V, D), W and U (D, D); x, y and z (N,) token ids; z is, say, the topic of each sentence.
    The law: bump one entry of E, which now moves three things, and see the loss move.
    """
    raise NotImplementedError("lesson 06, exercise 2: extend the sum to the third use")
