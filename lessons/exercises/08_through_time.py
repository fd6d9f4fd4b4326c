"""Lesson 08: write these three, then run `tinytie exercise 8`. About 30 minutes."""


def backward_through_time(dh, e, h0, h, W, U):
    """The gradients (de, dh0, dW, dU, db) of h_t = tanh(W e_t + U h_{t−1} + b), t = 1 … T.

    dh (B, T, H): at every step, the gradient that reaches h_t from its own scores.
    e (B, T, D), h0 (B, H), h (B, T, H) the states that the forward kept, W (H, D), U (H, H).
    The law: each result has its argument's shape, and is the finite difference of the loss.
    """
    raise NotImplementedError("lesson 08, exercise 1: write the loop from the last step back")


def truncated_backward(dh, e, h0, h, W, U, every):
    """The same, but the state that enters steps every, 2 · every, … (from 0) is a constant.

    With every = 3 and T = 6: no gradient goes from step 3 back to step 2. Steps count from 0.
    """
    raise NotImplementedError("lesson 08, exercise 2: cut the gradient between the chunks")


def forward_through_time(e, h0, W, U, b):
    """All states h (B, T, H), from e (B, T, D) and h0 (B, H): h_t = tanh(W e_t + U h_{t−1} + b).

    Like backward_through_time it goes onto the page that you begin in lesson 09.
    """
    raise NotImplementedError("lesson 08, exercise 3: write the loop forward")
