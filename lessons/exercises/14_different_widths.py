"""Lesson 14: write these two, then run `tinytie exercise 14`. About 25 minutes."""


def penalized_backward(do, h, P, strength):
    """The gradients (dh, dP, dp) of a projection o = P h + p whose P is penalized.

    do (B, T, D), the loss's gradient with respect to o; h (B, T, H), P (D, H); p (D,) is not
    needed. The objective is  loss + ½ · strength · ΣP²;  p is not penalized.
    The law: each one has the shape of its argument, and is the derivative of the objective.
    """
    raise NotImplementedError("lesson 14, exercise 1: write the three gradients")


def clipped_step(E, dE, found, rate, max_norm):
    """The new E (V, D) after one step in which the pretrained rows are frozen.

    E, dE (V, D); found (V,) True in the rows that stay. The others move by −rate · dE, where dE is
    first scaled down so that the norm of what moves is at most max_norm.
    The law: found rows are the same bits; a step that is short enough is taken whole.
    """
    raise NotImplementedError("lesson 14, exercise 2: write a clipped step with frozen rows")
