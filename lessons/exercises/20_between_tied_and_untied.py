"""Lesson 20: write these two, then run `tinytie exercise 20`. About 30 minutes."""


def mixture_backward(pi, y_hats, y):
    """(da, ds): the gradients of the loss by the scores of the states and by those of the words.

    loss = mean over N of −log p[y],  p = Σ_k π_k ŷ_k,  π = softmax(a),  ŷ_k = softmax(s_k).

    pi (N, K) and y_hats (N, K, V) are the softmaxes already taken, y (N,) ids. da is (N, K), ds
    (N, K, V).
    """
    raise NotImplementedError("lesson 20, exercise 1: which share of p[y] is each state's?")


def share_that_passes(ds, E):
    """How much of |ds|², the sum of the squares of ds (N, V), lies in the space of E's columns.

    E (V, D) with D < V, any columns that are independent, not of length 1 nor at right angles.
    Returns one number between 0 and 1.
    """
    raise NotImplementedError("lesson 20, exercise 2: np.linalg.qr makes an orthonormal basis")
