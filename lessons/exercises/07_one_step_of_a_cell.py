"""Lesson 07: write these three, then run `tinytie exercise 7`. About 25 minutes."""


def slope_from_h(name, h):
    """The slope f′(a), from h = f(a) alone, for the name "tanh", "sigmoid" or "relu".

    h and the result have the same shape. The law: it is the difference quotient of f at a.
    """
    raise NotImplementedError("lesson 07, exercise 1: write the three slopes with h alone")


def step_backward(dh, e, h_prev, h, W, U):
    """The gradients (de, dh_prev, dW, dU, db) of one step h = tanh(W e + U h_prev + b).

    dh (B, H), e (B, D), h_prev (B, H), h (B, H), W (H, D), U (H, H); b (H,) is not needed.
    The law: each one has the shape of its argument, and is the finite difference of the loss.
    """
    raise NotImplementedError("lesson 07, exercise 2: write the five gradients of a step")


def step(e, h_prev, W, U, b):
    """h = tanh(W e + U h_prev + b): e (B, D), h_prev (B, H), W (H, D), U (H, H), b (H,) -> (B, H).

    Like step_backward it goes onto the page that you begin in lesson 09.
    """
    raise NotImplementedError("lesson 07, exercise 3: write the step itself")
