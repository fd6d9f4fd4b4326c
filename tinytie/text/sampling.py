"""Drawing text from a model, one token at a time, each fed back as the next input."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tinytie.models.language_model import LanguageModel
from tinytie.ops.softmax import softmax


def next_probabilities(
    scores: np.ndarray, temperature: float = 1.0, top_k: int | None = None
) -> np.ndarray:
    """softmax(s / temperature) over the top_k highest scores, 0 elsewhere; None keeps them all.

    A temperature near 0 leaves only the highest score; above 1 it makes the choice more even.
    scores (V,) -> (V,) in float64, which sums to 1. Raises ValueError where temperature is not
    above 0 or top_k is below 1.
    """
    if not 0 < temperature < np.inf:
        raise ValueError(f"temperature must be above 0, got {temperature}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k must be at least 1, got {top_k}")
    s = scores.astype(np.float64)
    with np.errstate(over="ignore"):  # −∞ is meant: no chance at all
        s = (s - s.max()) / temperature
    if top_k is not None and top_k < len(s):
        s[np.argsort(-s, kind="stable")[top_k:]] = -np.inf  # exactly k stay, the first among equals
    return softmax(s)


def generate(model: LanguageModel, start: np.ndarray, n_tokens: int, **how: Any) -> np.ndarray:
    """Ids (n_tokens,) that follow `start` (n,), n at least 1; `how` as in `drawn`."""
    return np.array(list(islice(drawn(model, start, **how), n_tokens)), dtype=np.intp)


def drawn(
    model: LanguageModel, start: np.ndarray, *, temperature: float = 1.0,
    top_k: int | None = None, without: Sequence[int] = (), rng: Any = None,
) -> Iterator[int]:  # fmt: skip
    """One id after the other, without an end; those of `without` are never drawn.

    Each token is read once, into the model's memory. Where a memory of bounded `context` is full,
    a new one begins with the last half of it, so that every choice looks back on at least that.
    """
    rng = np.random.default_rng(rng)
    text = [int(i) for i in start]
    memory, held, unread = model.start(1), 0, text
    while True:
        if model.context is not None and held + len(unread) > model.context:
            memory, held, unread = model.start(1), 0, text[-max(1, model.context // 2) :]
        for token in unread:
            scores, memory = model.step(np.array([token]), memory)
        held += len(unread)
        allowed = scores[0].copy()
        allowed[list(without)] = -np.inf
        p = next_probabilities(allowed, temperature, top_k)
        text.append(int(rng.choice(len(p), p=p)))
        unread = text[-1:]
        yield text[-1]
