"""Lesson 03: write two, repair one, then run `tinytie exercise 3`. About 20 minutes."""

from tinytie.ops.softmax import cross_entropy_forward, softmax


def inputs_and_targets(words):
    """From a list of token ids, the questions x and the answers y, two lists of equal length.

    The law: whoever has seen x up to place t is asked for y[t], and that is the next word.
    """
    raise NotImplementedError("lesson 03, exercise 1: cut the words into x and y")


def cross_entropy_backward(s, y):
    """ds, the gradient of the mean of −log softmax(s)[y] over the N places. (N, V)

    s (N, V) scores, y (N,) target ids. The law: ds is the finite difference of the loss.
    """
    raise NotImplementedError("lesson 03, exercise 2: write the gradient of the scores")


def mean_loss(s, y):
    """The mean of −log softmax(s)[y] over the N places, in nats. s (N, V), y (N,)."""
    raise NotImplementedError("lesson 03, exercise 3: take this line out, then find the mistake")
    probabilities = softmax(s)
    loss, _ = cross_entropy_forward(probabilities, y)
    return loss
