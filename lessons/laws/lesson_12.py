"""Lesson 12: neighbours against known classes, and two matrices against each other."""

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.measure.neighbours import unit_rows
from tinytie.measure.similarity import distance_correlation, pairwise_cosines, pearson

N, D = 12, 5


def case(rng):
    """Rows (N, D) of very different lengths, loosely grouped in three classes."""
    classes = rng.permutation(np.repeat(np.arange(3), (6, 4, 2)))
    rows = rng.standard_normal((3, D))[classes] + 0.8 * rng.standard_normal((N, D))
    return rows * rng.uniform(0.2, 5, size=(N, 1)), classes


def share(near, classes, k):
    """Of the k largest entries of each row of `near` (N, N), the share of the row's class."""
    nearest = np.argsort(-near, axis=1, kind="stable")[:, :k]
    return float(np.mean(classes[nearest] == classes[:, np.newaxis]))


def share_of_class(near, classes, k, one):
    """The same, over the rows of one class."""
    nearest = np.argsort(-near, axis=1, kind="stable")[classes == one, :k]
    return float(np.mean(classes[nearest] == one))


def alone(near):
    """The same similarities, but a row is not near to itself."""
    return near - np.diag(np.full(len(near), np.inf))


def share_law(answer):
    """The share of the k nearest, in two cases and for three k."""
    for _ in range(2):
        E, classes = case(answer.rng)
        unit = unit_rows(E)
        distances = np.linalg.norm(E[:, np.newaxis] - E, axis=-1)
        for k in (1, 3, 6):
            got = answer.number(E=E, classes=classes, k=k)
            if np.isclose(got, share(alone(unit @ unit.T), classes, k)):
                continue
            mistakes = {
                "a row is counted as its own neighbour": share(unit @ unit.T, classes, k),
                "this takes dot products; divide each row by its length first": (
                    share(alone(E @ E.T), classes, k)
                ),
                "this takes distances of the rows as they are; cosines look at directions": (
                    share(alone(-distances), classes, k)
                ),
                "these are the k farthest": share(alone(-unit @ unit.T), classes, k),
                "this is a mean over the classes; every row counts the same": np.mean(
                    [share_of_class(alone(unit @ unit.T), classes, k, c) for c in range(3)]
                ),
                "this is a count for a row; divide by k": (
                    k * share(alone(unit @ unit.T), classes, k)
                ),
            }
            for sentence, wrong in mistakes.items():
                if np.isclose(got, wrong):
                    raise Wrong(f"k = {k}: {sentence}")
            raise Wrong(
                f"k = {k}: the share is {share(alone(unit @ unit.T), classes, k):.4f}, yours is "
                f"{got:.4f}"
            )


def order_law(answer):
    """A turn and a stretch change nothing; and the value is that of the ranks."""
    rng = answer.rng
    (A, _), (B, _) = case(rng), case(rng)
    turn, _ = np.linalg.qr(rng.standard_normal((D, D)))
    B = A[:, :4] + 0.5 * B[:, :4]  # another width
    got = answer.number(A=A, B=B)
    explain_value(got, A, B)
    if not np.isclose(answer.number(A=A @ turn, B=B), got):
        raise Wrong("turning A changes it, though no cosine within A has changed")
    if not np.isclose(answer.number(A=A * rng.uniform(0.2, 5, (N, 1)), B=B), got):
        raise Wrong("stretching rows of A changes it: a cosine has no length in it")


def explain_value(got, A, B):
    """Raise Wrong where the number is not the correlation of the ranks."""
    right = distance_correlation(A, B)
    if np.isclose(got, right):
        return
    full = [unit_rows(E) @ unit_rows(E).T for E in (A, B)]
    dots = [(E @ E.T)[np.triu_indices(N, k=1)] for E in (A, B)]
    mistakes = {
        "this correlates the cosines themselves; replace them by their ranks": (
            pearson(pairwise_cosines(A), pairwise_cosines(B))
        ),
        "every pair is there twice, and each row with itself; take each two rows once": (
            pearson(*(order(E.ravel()) for E in full))
        ),
        "these are ranks of dot products; divide each row by its length first": (
            pearson(*map(order, dots))
        ),
        "`argsort` once says which pair comes first, not which rank a pair has; apply it twice": (
            pearson(*(np.argsort(pairwise_cosines(E)) for E in (A, B)))
        ),
        "the sign is wrong": -right,
    }
    for sentence, wrong in mistakes.items():
        if np.isclose(got, wrong):
            raise Wrong(sentence)
    raise Wrong(f"the correlation of the ranks is {right:.4f}, yours is {got:.4f}")


def order(values):
    """Ranks from 0; equal values in the order in which they stand."""
    return np.argsort(np.argsort(values, kind="stable"), kind="stable").astype(float)


EXERCISES = [Exercise("share_in_class", share_law), Exercise("same_order", order_law)]
