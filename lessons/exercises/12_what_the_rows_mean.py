"""Lesson 12: write these two, then run `tinytie exercise 12`. About 25 minutes."""


def share_in_class(E, classes, k):
    """Of the k nearest neighbours of every row (largest cosine), the share of its own class.

    E (n, D), classes (n,), k < n. A row is not its own neighbour. One number between 0 and 1, the
    mean over all n rows.
    """
    raise NotImplementedError("lesson 12, exercise 1: score the neighbours against the classes")


def same_order(A, B):
    """Do A (n, D) and B (n, any width) put the same pairs of rows near each other? A number.

    Take every two different rows once: n(n − 1)/2 pairs. Compute each pair's cosine in A and in B,
    replace both lists by their ranks, and return the correlation of the ranks. (No two cosines are
    equal here.) Laws: turning A, or stretching its rows, changes nothing.
    """
    raise NotImplementedError("lesson 12, exercise 2: correlate the ranks of the cosines")
