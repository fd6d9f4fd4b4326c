"""Lesson 19: write these two, then run `tinytie exercise 19`. About 25 minutes."""


def soft_targets(L, y, tau):
    """ỹ (N, V): row i gives each word a share by the dot product of its row with that of y[i].

    L (V, D), y (N,) ids, tau a number above 0:  u = L[y],  ỹ = softmax(L u / τ).
    """
    raise NotImplementedError("lesson 19, exercise 1: u is a row of L; the softmax is over words")


def augmented_ds(s, y, y_tilde, alpha, tau):
    """The gradient of J with respect to the scores s (N, V).

    J = mean over N of  −log softmax(s)[y]  +  α Σ ỹ (log ỹ − log softmax(s/τ)).

    y (N,) ids; y_tilde (N, V) is constant. Mind which softmax is taken at which temperature.
    """
    raise NotImplementedError("lesson 19, exercise 2: two terms, and s is divided by τ in one")
