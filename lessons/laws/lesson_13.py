"""Lesson 13: the entropy of a chain of words, and the tied model that contains an untied one."""

import numpy as np

from tinytie.course.answers import Exercise, Wrong

V, D, H = 6, 3, 4


def chain(rng):
    """Chances of the next word (V, V), with words of very different frequency."""
    P = rng.dirichlet(np.full(V, 0.5), size=V) * np.linspace(1, 6, V) + 0.02
    return P / P.sum(axis=1, keepdims=True)


def frequencies(P):
    """π (V,) with π P = π and Σ π = 1."""
    equations = np.vstack([P.T - np.eye(len(P)), np.ones(len(P))])
    return np.linalg.lstsq(equations, np.eye(len(P) + 1)[-1], rcond=None)[0]


def entropy_law(answer):
    """−Σ_i π_i Σ_j P_ij log P_ij."""
    for _ in range(2):
        P = chain(answer.rng)
        got = answer.number(P=P)
        rows, often = -np.sum(P * np.log(P), axis=1), frequencies(P)
        right = float(often @ rows)
        mistakes = {
            "every row weighs the same here; a frequent word's row is used more often": rows.mean(),
            "the sign is wrong: a chance is at most 1, its logarithm at most 0": -right,
            "this is in bits; nats are asked for": right / np.log(2),
            "this is the perplexity; the entropy is its logarithm": np.exp(right),
            "this is the entropy of single words; given the word before, less is left": (
                -np.sum(often * np.log(often))
            ),
            "this is the sum over the rows; weigh each by its frequency": rows.sum(),
        }
        if np.isclose(got, right, rtol=1e-6):
            continue
        for sentence, wrong in mistakes.items():
            if np.isclose(got, wrong, rtol=1e-6):
                raise Wrong(sentence)
        raise Wrong(f"the entropy is {right:.6f} nats a word, yours is {got:.6f}")


def twin_law(answer):
    """The same a for every word, and the same scores for every h."""
    rng = answer.rng
    shapes = ((V, D), (V, H), (H, D), (5, H))
    E_in, E_out, W, h = (rng.standard_normal(shape) for shape in shapes)
    wanted = {"E": (V, D + H), "W_wide": (H, D + H), "P": (D + H, H)}
    E, W_wide, P = answer.arrays(wanted, E_in=E_in, E_out=E_out, W=W).values()
    a, s = E @ W_wide.T, (h @ P.T) @ E.T
    if np.allclose(a, E_in @ W.T) and np.allclose(s, h @ E_out.T):
        return
    if np.allclose(s, 0) or np.allclose(a, 0):
        raise Wrong(f"{'a' if np.allclose(a, 0) else 's'} is zero for every word")
    if not np.allclose(a, E_in @ W.T):
        raise Wrong("a differs: W_wide must read E_in's part of a row, and nothing of E_out's")
    part = P[:D] if np.allclose(E[:, :D], E_in) else P[-D:]
    if not np.allclose(part, 0):
        raise Wrong("s differs: P writes into E_in's part too, so rows of E_in join the scores")
    raise Wrong("s differs: P must bring h to E_out's part of a row as it is")


EXERCISES = [Exercise("entropy_rate", entropy_law), Exercise("tied_twin", twin_law)]
