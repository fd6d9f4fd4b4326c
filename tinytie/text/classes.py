"""A made-up language of word classes, whose entropy is known exactly.

Each word belongs to one class. Classes follow classes as a Markov chain, and a class says one of
its words, the first ones most often. A word's class decides what may come before it and what may
come after it, which is what one matrix for both sides assumes of a language. Since a word shows
its class, the chain's entropy rate is what the best model of the words can reach:

    H = Σ_c π_c ( H(follow_c) + Σ_k follow_ck H(word of k) ),   π = π follow,   in nats per token
"""

from typing import NamedTuple, Self

import numpy as np

from tinytie.text.tokenizers import EOS

SYLLABLES = [c + v for v in "aeiou" for c in "bdklmnprst"]


class ClassLanguage(NamedTuple):
    """Class 0 is the end of a line, whose one word is `<eos>`."""

    words: list[str]  # of all classes, one class after the other
    class_of: np.ndarray  # (V,) the class of each word
    emit: np.ndarray  # (V,) the probability of each word, given its class
    follow: np.ndarray  # (C, C) the probability of the next class, given this one

    @classmethod
    def make(cls, n_classes: int = 20, words_each: int = 20, rng: int = 0) -> Self:
        """A language with this many classes of words, named after a syllable: ba0, ba1, …

        A class is followed mostly by two or three others. Raises ValueError above 50 classes.
        """
        if not 1 <= n_classes <= len(SYLLABLES):
            raise ValueError(f"n_classes must be in 1 … {len(SYLLABLES)}, got {n_classes}")
        names = [f"{s}{i}" for s in SYLLABLES[:n_classes] for i in range(words_each)]
        ranks = 1 / np.arange(1, words_each + 1)
        emit = np.concatenate([[1.0], np.tile(ranks / ranks.sum(), n_classes)])
        class_of = np.concatenate([[0], np.repeat(np.arange(1, n_classes + 1), words_each)])
        follow = np.random.default_rng(rng).dirichlet(np.full(n_classes + 1, 0.1), n_classes + 1)
        follow = 0.9 * follow + 0.1 / (n_classes + 1)  # every class can follow every class
        return cls([EOS, *names], class_of, emit, follow)

    def sample(self, n_tokens: int, rng: np.random.Generator) -> np.ndarray:
        """Word ids (n_tokens,), the first one drawn as if a line had just ended."""
        follow, draws = self.follow.cumsum(axis=1), rng.random(n_tokens)
        classes, last = np.empty(n_tokens, np.intp), 0
        for i, draw in enumerate(draws):
            last = classes[i] = min(follow[last].searchsorted(draw), len(follow) - 1)
        ids = np.empty(n_tokens, np.intp)
        for c in range(len(follow)):
            places, members = classes == c, np.flatnonzero(self.class_of == c)
            ids[places] = rng.choice(members, places.sum(), p=self.emit[members])
        return ids

    def entropy(self) -> float:
        """The entropy rate in nats per token: no model has a lower expected loss."""
        words = np.array([entropy(self.emit[self.class_of == c]) for c in range(len(self.follow))])
        each = np.array([entropy(row) for row in self.follow]) + self.follow @ words
        return float(self.stationary() @ each)

    def stationary(self) -> np.ndarray:
        """π (C,): how often each class occurs in the long run, from π follow = π, Σ π = 1."""
        C = len(self.follow)
        equations = np.vstack([self.follow.T - np.eye(C), np.ones(C)])
        return np.linalg.lstsq(equations, np.eye(C + 1)[C], rcond=None)[0]

    def code_lengths(self, ids: np.ndarray) -> np.ndarray:
        """−log of the true probability of each word after the first, given those before. (n − 1,)

        Its mean is the loss that a model would need to know the language exactly.
        """
        c = self.class_of[ids]
        return -np.log(self.follow[c[:-1], c[1:]] * self.emit[ids[1:]])


def entropy(p):
    """−Σ p log p in nats."""
    return -np.sum(p * np.log(p, where=p > 0, out=np.zeros_like(p)))
