"""Lesson 11: write these two, then run `tinytie exercise 11`. About 25 minutes."""


def row_facts(dE_in, dE_out):
    """(norm_in, norm_out, cosine), each (V,): the length of each row of both paths (V, D), and the
    cosine between the two rows; 0 where one of them is zero and has no direction.
    """
    raise NotImplementedError("lesson 11, exercise 1: measure both paths row by row")


def train_scaled(make_model, x, y, rate, scale_in, scale_out):
    """The losses (n,) of n steps of training in which the paths of E count unequally.

    make_model() gives a new tied model. x, y (n, B, T): n batches in order, each the continuation
    of the one before, so carry the state. A step, with the model's `loss_and_grads`:

        every parameter but E:   w ← w − rate · dw
        E:                       E ← E − rate · (scale_in · dE_in + scale_out · dE_out)

    Each loss is the one before its step. With scales of 1 and 1 it is plain training.
    """
    raise NotImplementedError("lesson 11, exercise 2: write the loop, and scale the paths")
