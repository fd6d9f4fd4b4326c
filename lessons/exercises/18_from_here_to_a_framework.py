"""Lesson 18: write these two, then run `tinytie exercise 18`. About 25 minutes."""


def linear(x, W, b):
    """y = x Wᵀ + b as a pullback: returns (y, pullback), and pullback(dy) gives (dx, dW, db).

    x (B, T, D), W (H, D), b (H,); y and dy (B, T, H).
    The law: each gradient is the finite difference of the loss; a pullback asked twice answers the
    same; and pullbacks of two calls do not know of each other.
    """
    raise NotImplementedError("lesson 18, exercise 1: rewrite the linear layer as a pullback")


def five_numbers(V, D, H, T):
    """Five common statements, and the number that corrects each: a tuple of five numbers.

    The model: E (V, D), tied; h of width H ≠ D, so o = P h + p and s = E o + c. The text: T words.

    1   "EᵀE compares every word with every other."      entries of the matrix that does so?
    2   "P maps H to D, so it has H rows."               rows of P in o = P h + p?
    3   "Tying halves the parameters of the model."      how many parameters does tying save here,
                                                         against E_in and E_out of E's shape?
    4   "With an output bias E must get a column more."  columns of E, with the bias c?
    5   "A text of T words asks T questions."            questions, y_t = w_{t+1}?
    """
    raise NotImplementedError("lesson 18, exercise 2: give the number that corrects each")
