"""Lesson 03: write six, repair one, then run `tinytie exercise 3`. About 20 minutes."""

from tinytie.ops.softmax import cross_entropy_forward
from tinytie.ops.softmax import softmax as softmax_of_the_package


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
    probabilities = softmax_of_the_package(s)
    loss, _ = cross_entropy_forward(probabilities, y)
    return loss


# The four that follow, and cross_entropy_backward, go onto the page that you begin in lesson 09.
# Write them in NumPy alone.


def softmax(s):
    """Each row of s (N, V) as probabilities: exp(s_i) / Σ_j exp(s_j), also for scores of 1000."""
    raise NotImplementedError("lesson 03, exercise 4: write the softmax")


def scores(h, E, c):
    """s = h Eᵀ + c: h (N, D), E (V, D), c (V,) -> (N, V)."""
    raise NotImplementedError("lesson 03, exercise 5: write the scores")


def scores_backward(ds, h, E):
    """The gradients (dh, dE, dc) of the scores, from ds (N, V). The law: finite differences."""
    raise NotImplementedError("lesson 03, exercise 6: write the backward of the scores")


def cross_entropy(s, y):
    """The loss: the mean of −log softmax(s)[y] over the N places, finite for scores of 1000 too."""
    raise NotImplementedError("lesson 03, exercise 7: write the loss")
