"""Lesson 02: the gradient of a lookup is the finite difference, above all for repeated tokens."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import law_of_gradient, law_of_value

V, D = 7, 4
BATCHES = [
    [[1, 4, 2]],
    [[1, 4, 1], [2, 4, 5]],  # in one row, and in two
    [[3, 3, 3, 3]],
    [[6, 0, 6], [6, 2, 0]],
]


def batches(rng):
    """The same patterns of repeats, with other tokens."""
    tokens = rng.permutation(V)
    return [tokens[pattern] for pattern in BATCHES]


def lookup_law(answer):
    """dE must be the derivative of Σ de ∘ E[x] with respect to E."""
    rng = answer.rng
    for x in batches(rng):
        E, de = rng.standard_normal((V, D)), rng.standard_normal((*x.shape, D))
        dE = answer.array((V, D), de=de, x=x, V=V)
        loss = partial(loss_of, E, x, de)
        law_of_gradient(dE, loss, E, partial(suspects, de, x), NAMES)


def loss_of(E, x, de):
    """A loss whose gradient with respect to the looked-up rows is de."""
    return float(np.sum(de * E[x]))


NAMES = [f"{i}" for i in range(V)]


def suspects(de, x):
    """What each usual mistake would return."""
    places = {i: de[x == i] for i in range(V)}  # the rows of de that belong to token i
    return {
        "repeated tokens lost: a word that occurs twice keeps only its last place, and must "
        "collect every place": table(places, lambda rows: rows[-1]),
        "repeated tokens lost: a word that occurs twice keeps only its first place, and must "
        "collect every place": table(places, lambda rows: rows[0]),
        "a word that occurs twice gets the mean of its places, and must get their sum": table(
            places, lambda rows: rows.mean(axis=0)
        ),
        "every row stands one too low: the ids count from 0": np.roll(summed(places), 1, axis=0),
        "every row stands one too high: the ids count from 0": np.roll(summed(places), -1, axis=0),
        "only the first sentence of the batch is collected": table(
            {i: de[0][x[0] == i] for i in range(V)}, lambda rows: rows.sum(axis=0)
        ),
        "only the last sentence of the batch is collected": table(
            {i: de[-1][x[-1] == i] for i in range(V)}, lambda rows: rows.sum(axis=0)
        ),
    }


def summed(places):
    return table(places, lambda rows: rows.sum(axis=0))


def table(places, rule):
    """(V, D): rule(rows) for each token that occurs, else zeros."""
    return np.array([rule(rows) if len(rows) else np.zeros(D) for rows in places.values()])


def zero_rows_law(answer):
    """The tokens that do not occur, in order."""
    for x in batches(answer.rng):
        got = answer(x=x, V=V)
        if got is None:
            raise Wrong("it returns None: is a return missing?")
        try:
            said = [int(i) for i in got]
        except (TypeError, ValueError, OverflowError):
            raise Wrong("it must return a list of token ids") from None
        if len(said) == V and set(said) == {0, 1}:
            raise Wrong("it returns True or False for each row; return the ids of the zero rows")
        explain_rows(said, set(x.ravel().tolist()), x)


def explain_rows(said, seen, x):
    if set(said) == seen:
        raise Wrong("these are the tokens that do occur; a row is zero where its token does not")
    where = f"for x = {x.tolist()} and V = {V}"
    wrong = sorted(set(said) & seen)
    if wrong:
        raise Wrong(f"{where} you name row {wrong[0]}, but that token was looked up")
    if unknown := set(said) - set(range(V)):
        raise Wrong(f"{where} you name row {max(unknown)}, and the rows go from 0 to {V - 1}")
    missed = sorted(set(range(V)) - seen - set(said))
    if missed:
        raise Wrong(f"{where} you leave out row {missed[0]}, and that token never occurs")
    if said != sorted(set(said)):
        raise Wrong(f"{where} the rows are right; give each once, in rising order")


def forward_law(answer):
    """e must be the rows of E."""
    for x in batches(answer.rng):
        E = answer.rng.standard_normal((V, D))
        e = answer.array((*x.shape, D), x=x, E=E)
        mistakes = {
            "the ids count from 0: every place gets the row below its own": E[(x + 1) % V],
            "the ids count from 0: every place gets the row above its own": E[x - 1],
            "every sentence gets the rows of the first one": E[np.broadcast_to(x[:1], x.shape)],
            "the places stand in the wrong order: e[b, t] belongs to x[b, t]": E[x[:, ::-1]],
            "each row is scaled to length 1; a lookup copies rows as they are": (
                E / np.linalg.norm(E, axis=1, keepdims=True)
            )[x],
            "the rows are scaled by √D, as some models do; this one does not": np.sqrt(D) * E[x],
        }
        law_of_value(e, E[x], mistakes)


EXERCISES = [
    Exercise("lookup_backward_loop", lookup_law),
    Exercise("lookup_backward", lookup_law),
    Exercise("zero_rows", zero_rows_law),
    Exercise("lookup", forward_law),
]
