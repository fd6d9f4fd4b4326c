"""Lesson 10: find one, predict one, write one, then run `tinytie exercise 10`. About 20 minutes."""


def equal_budget(V, D):
    """The width of the untied model whose number of parameters is nearest to the tied one's.

    Both are as in the lesson: E (V, D), or E_in and E_out (V, D) each; W (D, D), U (D, D), b (D,)
    and c (V,), with H = D. The tied model is D wide. Returns a whole number of at least 1.
    """
    raise NotImplementedError("lesson 10, exercise 1: find the width of an equal budget")


def true_at_half():
    """Which claims hold where each of the lesson's nine runs reads 2,000 words instead of 4,000.

    A set of numbers, as {1, 2}. Predict first; then change the lesson and look. "Best" is the
    lowest perplexity on new text of the thirty epochs; all are means of the three runs.

        1   each of the three models has a worse best than with 4,000 words
        2   the untied model of the same width has a lower best than the tied one
        3   the tied model's lead over it (in perplexity, best against best) is smaller than before
        4   for each model, (new text) / (text it read) at the end is larger than before
        5   the entropy of the language is larger than before
    """
    raise NotImplementedError("lesson 10, exercise 2: predict what half the text changes")


def adam(w, dw, m, v, t, rate):
    """One step of Adam for one parameter w: the new (w, m, v). t = 1, 2, … counts the steps.

        m ← 0.9 m + 0.1 dw          v ← 0.999 v + 0.001 dw²
        w ← w − rate · m̂ / (√v̂ + 10⁻⁸),  with  m̂ = m / (1 − 0.9ᵗ)  and  v̂ = v / (1 − 0.999ᵗ)

    Change none of the arguments. It is the last function of your page: `tinytie my-model`.
    """
    raise NotImplementedError("lesson 10, exercise 3: write a step of Adam")
