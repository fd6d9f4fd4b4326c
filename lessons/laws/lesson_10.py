"""Lesson 10: an equal budget of parameters, and what half the text changes."""

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import law_of_value

SIZES = ((201, 16), (1000, 64), (40, 24), (10_000, 200), (5, 3))
TRUE_AT_HALF = {1, 4}  # what the runs say; the tests of the lessons train them again
WHY = {
    1: "half the text shows each word half as often, and every model pays for it",
    2: "the larger model can learn even more of a short text by heart; does that help elsewhere?",
    3: "what does tying prevent, and where is there more of it to prevent?",
    4: "a shorter text is easier to learn by heart, and says less about new text",
    5: "entropy is a number of the language; how much of it was read does not matter",
}


def parameters(V, D, matrices, bias=True, inner=True):
    """Of the lesson's model with one or two token matrices, or of a part of it."""
    return matrices * V * D + (2 * D * D + D if inner else 0) + (V if bias else 0)


def nearest(V, D, **parts):
    """The untied width whose count is nearest to the tied one's."""
    budget = parameters(V, D, 1, **parts)
    return min(range(1, D + 1), key=lambda width: abs(parameters(V, width, 2, **parts) - budget))


def budget_law(answer):
    """No other whole width comes nearer to the tied model's count."""
    sizes = [*SIZES, tuple(answer.rng.integers(50, 99, 2).tolist())]
    got = {size: answer.number(V=size[0], D=size[1]) for size in sizes}
    if all(got[size] == nearest(*size) for size in sizes):
        return
    explain(got)
    for (V, D), width in got.items():
        if width != nearest(V, D):
            raise Wrong(
                f"V = {V:,}, tied D = {D} has {parameters(V, D, 1):,} parameters; an untied width "
                f"of {width:g} has {parameters(V, width, 2):,.0f}, and another width comes nearer"
            )


def explain(got):
    """Where one usual mistake explains every answer."""
    mistakes = {
        "half the width makes only the embeddings equal; W and U get smaller too": (
            lambda V, D: {D // 2, D / 2, -(-D // 2)}
        ),
        "an untied model of the tied one's width has V · D parameters more": lambda V, D: {D},
        "this is the width of most parameters within the budget; the nearest may be above it": (
            lambda V, D: {within(V, D)}
        ),
    }
    for sentence, widths in mistakes.items():
        if all(width in widths(*size) for size, width in got.items()):
            raise Wrong(sentence)


def within(V, D):
    """The largest untied width with no more parameters than the tied model."""
    budget = parameters(V, D, 1)
    return max([w for w in range(1, D + 1) if parameters(V, w, 2) <= budget], default=1)


def half_law(answer):
    """The set of the claims that the runs bear out."""
    said = answer()
    if not isinstance(said, set | frozenset) or not said <= set(WHY):
        raise Wrong("it must return a set of numbers from 1 to 5, as {1, 2}")
    for claim in sorted(WHY):
        if claim in said - TRUE_AT_HALF:
            raise Wrong(f"claim {claim}: the runs say no: {WHY[claim]}")
        if claim in TRUE_AT_HALF - said:
            raise Wrong(f"claim {claim}: the runs say yes: {WHY[claim]}")


def adam_law(answer):
    """(w, m, v) after a step, for the first step and for later ones."""
    rng = answer.rng
    for t in (7, 1, 2, 1000):
        w, dw, m = rng.standard_normal((3, 4, 3))
        v = rng.uniform(0.1, 1, (4, 3)) if t > 1 else np.zeros((4, 3))
        m = m if t > 1 else np.zeros((4, 3))
        shapes = {"w": w.shape, "m": w.shape, "v": w.shape}
        got = answer.arrays(shapes, w=w, dw=dw, m=m, v=v, t=t, rate=0.03)
        new_m, new_v = 0.9 * m + 0.1 * dw, 0.999 * v + 0.001 * dw**2
        swapped_m = {
            "0.9 and 0.1 have changed places": 0.1 * m + 0.9 * dw,
            "it has no memory: this is the gradient itself": dw,
            "the new gradient counts whole; give it the weight 0.1": 0.9 * m + dw,
        }
        swapped_v = {
            "0.999 and 0.001 have changed places": 0.001 * v + 0.999 * dw**2,
            "the gradient is not squared": 0.999 * v + 0.001 * dw,
            "0.9 and 0.1 are those of m; v has 0.999 and 0.001": 0.9 * v + 0.1 * dw**2,
        }
        law_of_value(got["m"], new_m, swapped_m, "m")
        law_of_value(got["v"], new_v, swapped_v, "v")
        moves = adam_moves(new_m, new_v, m, v, t)
        right = w - 0.03 * moves.pop("")
        wrong = {said: w - 0.03 * move for said, move in moves.items()}
        wrong["the sign is wrong: go against the gradient"] = 2 * w - right
        wrong["the rate is missing"] = w - (w - right) / 0.03
        wrong["w did not move"] = w
        law_of_value(got["w"], right, wrong, f"w, at t = {t}")


def adam_moves(m, v, old_m, old_v, t):
    """Sentence -> the move, before the rate; "" is the right one."""
    up, down = 1 - 0.9**t, 1 - 0.999**t
    return {
        "": m / up / (np.sqrt(v / down) + 1e-8),
        "m and v start at 0: divide them by 1 − 0.9ᵗ and 1 − 0.999ᵗ": m / (np.sqrt(v) + 1e-8),
        "m̂ = m / (1 − 0.9ᵗ) is missing": m / (np.sqrt(v / down) + 1e-8),
        "v̂ = v / (1 − 0.999ᵗ) is missing": m / up / (np.sqrt(v) + 1e-8),
        "the root is missing: divide by √v̂": m / up / (v / down + 1e-8),
        "10⁻⁸ stands under the root; it is added after it": m / up / np.sqrt(v / down + 1e-8),
        "it goes by the gradients' squares alone": np.sign(m) / (np.sqrt(v / down) + 1e-8),
        "the m and v from before this step are used": old_m / up
        / (np.sqrt(old_v / down) + 1e-8),
        "t counts from 1: it is one behind": m / (1 - 0.9 ** (t + 1))
        / (np.sqrt(v / (1 - 0.999 ** (t + 1))) + 1e-8),
    }  # fmt: skip


EXERCISES = [
    Exercise("equal_budget", budget_law),
    Exercise("true_at_half", half_law),
    Exercise("adam", adam_law),
]
