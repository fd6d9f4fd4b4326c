"""Lesson 18: an operation as a pullback, and the numbers behind five common statements."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Refused, Wrong, tuple_of
from tinytie.course.evidence import law_of_gradient

B, T, D, H = 2, 3, 4, 5
SHAPES = {"dx": (B, T, D), "dW": (H, D), "db": (H,)}


def case(rng):
    """The arguments of one call, and a gradient of y."""
    shapes = {"x": (B, T, D), "W": (H, D), "b": (H,)}
    arrays = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    return arrays, rng.standard_normal((B, T, H))


def value(arrays):
    x, W, b = arrays.values()
    return x @ W.T + b


def called(answer, arrays):
    """y and the pullback of one call. Raises Wrong where they are not that."""
    result = answer(**arrays)
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise Wrong("it must return two things: y, and the function pullback")
    y, pullback = result
    if callable(y) and not callable(pullback):
        raise Wrong("y comes first, then the pullback")
    if not callable(pullback):
        raise Wrong(
            "the second result must be a function: pullback(dy) is called later, when dy is known"
        )
    (y,) = tuple_of((y,), {"y": (B, T, H)}).values()
    if not np.allclose(y, value(arrays)):
        raise Wrong("y is not x Wᵀ + b")
    return pullback


def asked(pullback, dy):
    """The three gradients that a pullback gives, by name."""
    try:
        return tuple_of(pullback(dy=dy), SHAPES)
    except Refused as refused:
        raise Wrong(f"the pullback: {refused}") from None


def pullback_law(answer):
    """The gradients are right, at the first call and at the second, whatever was called between."""
    arrays, dy = case(answer.rng)
    pullback = called(answer, arrays)
    first = asked(pullback, dy)
    for name, array in arrays.items():
        loss = lambda: float(np.sum(dy * value(arrays)))  # noqa: E731
        suspects = partial(mistakes, arrays, dy, name)
        law_of_gradient(first[f"d{name}"], loss, array, suspects, name=f"d{name}")
    explain_again(first, asked(pullback, dy))
    others, _ = case(answer.rng)
    called(answer, others)
    for name, again in asked(pullback, dy).items():
        if not np.allclose(again, first[name]):
            raise Wrong(
                f"{name}: after another call of linear, this pullback answers for that call; keep "
                "the arrays in the closure, not in a place that all calls share"
            )


def explain_again(first, second):
    for name in SHAPES:
        if np.allclose(second[name], first[name]):
            continue
        if np.allclose(second[name], 2 * first[name]):
            raise Wrong(
                f"{name}: asked twice, the pullback answers with the double: it adds into an array "
                "that outlives the call"
            )
        raise Wrong(f"{name}: asked twice, the pullback gives two different answers")


def mistakes(arrays, dy, name):
    """For the gradient of this argument, sentence -> what the mistake would give."""
    x, _, _ = arrays.values()
    n = B * T
    of: dict[str, dict] = {argument: {} for argument in arrays}
    dW, db = np.einsum("bth,btd->hd", dy, x), dy.sum(axis=(0, 1))
    mean = "the mean over the places is taken; every place that used it adds"
    first = "only the first sentence of the batch is there; every place that used it adds"
    of["W"] = {mean: dW / n, "the mean over the sentences is taken; they add": dW / B}
    of["W"][first] = dy[0].T @ x[0]
    of["b"] = {mean: db / n, "the mean over the sentences is taken; they add": db / B}
    of["b"][first] = dy[0].sum(axis=0)
    return of[name]


def numbers_law(answer):
    """The five numbers, for two sets of sizes."""
    for V, D, H, T in ((8, 3, 5, 11), (answer.rng.permutation(40)[:4] + 20).tolist()):
        sizes = {"V": V, "D": D, "H": H, "T": T}
        got = answer(**sizes)
        said = tuple_of(got, dict.fromkeys(("1", "2", "3", "4", "5"), ()))
        for key, number in said.items():
            explain_number(key, int(number) if number == int(number) else float(number), sizes)


def explain_number(key, got, sizes):
    right, mistakes = numbers(**sizes)[key]
    if got == right:
        return
    given = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    for sentence, wrong in mistakes.items():
        if got == wrong:
            raise Wrong(f"number {key}: {sentence} ({given})")
    raise Wrong(f"number {key} is {got} where {given}: not so; write down the shapes first")


def numbers(V, D, H, T):
    """number of the statement -> what is right, and sentence -> what a mistake would say."""
    model = V * D + D * H + D + V  # what surrounds the recurrence, tied
    return {
        "1": (V * V, {
            "that is EᵀE, which compares the columns; words are rows, so it is E Eᵀ": D * D,
            "that is E itself; a matrix that compares words has one for each pair": V * D,
            "each pair twice, and each word with itself: the matrix is square": V * (V - 1) // 2,
        }),
        "2": (D, {"o = P h must be as wide as a row of E, so P is (D, H)": H}),
        "3": (V * D, {
            "that is all of the embeddings; tying takes one of the two matrices away": 2 * V * D,
            "E is not halved; of two matrices one is left": V * D / 2,
            "half of the model is what the statement says; the rest is not halved": model // 2,
            "with P, E_out is as wide as E: D, not H": V * H,
        }),
        "4": (D, {
            "the bias is added to the scores; E keeps its shape": D + 1,
            "columns are what a row is wide: D; the rows are V": V,
            "E is as wide as o, and o is D wide": H,
        }),
        "5": (T - 1, {
            "after the last word there is no answer to compare with": T,
            "the first word is only seen, the last only asked: every word between does both": T - 2,
        }),
    }  # fmt: skip


EXERCISES = [Exercise("linear", pullback_law), Exercise("five_numbers", numbers_law)]
