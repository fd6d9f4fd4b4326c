"""Lesson 17: write these two, then run `tinytie exercise 17`. About 30 minutes."""


def causal_weights(q, k):
    """Where each place looks: A (T, T), row t the weights of place t on the places 1 … T.

    q, k (T, d_k): a query and a key for each place. Place t sees itself and the places before it;
    its scores are q_t · k_j / √d_k, and its weights their softmax.
    The law: each row sums to one, the future is zero, and the weights are these.
    """
    raise NotImplementedError("lesson 17, exercise 1: write the causal attention weights")


def scaled_backward(E, W, x, y):
    """dE (V, D), the gradient of a tied loss whose lookup is scaled by √D.

    Forward:  e = √D · E[x],  h = tanh(W e),  s = E h,  loss = mean of −log softmax(s)[y].
    E (V, D), W (D, D), x and y (B, T) token ids. Use what you like of tinytie.ops, or nothing.
    The law: bump one entry of E, which moves the scaled lookup AND the scores.
    """
    raise NotImplementedError("lesson 17, exercise 2: write the gradient with its factor")
