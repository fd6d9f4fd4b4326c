"""Lesson 10: an equal budget of parameters, and what half the text changes."""

from tinytie.course.answers import Exercise, Wrong

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


EXERCISES = [Exercise("equal_budget", budget_law), Exercise("true_at_half", half_law)]
