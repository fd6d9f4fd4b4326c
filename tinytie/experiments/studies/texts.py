"""Texts of many kinds, for questions whose answer depends on the text. None is downloaded."""

import argparse
import inspect
import json
import tarfile
from collections.abc import Callable
from functools import partial

import numpy as np

from tinytie.text.bpe import BPE
from tinytie.text.classes import ClassLanguage
from tinytie.text.corpora import Corpus, text_corpus
from tinytie.text.numbers import number_pairs
from tinytie.text.splits import SHARES, split_lines
from tinytie.text.topics import topics_text
from tinytie.text.vocabulary import Vocabulary

TOKENS = 16_000  # of every text, at most: 80 % to train on
SOURCES = (argparse, inspect, json.decoder, json.encoder, tarfile)  # modules of Python itself


def cut(name: str, ids: np.ndarray) -> Corpus:
    """A text of ids, 80/10/10, without words that the first part has not."""
    ids = ids[:TOKENS]
    ends = (np.cumsum(SHARES[:2]) * len(ids)).astype(int)
    known, _ = np.unique(ids[: ends[0]], return_inverse=True)
    parts = [np.searchsorted(known, part[np.isin(part, known)]) for part in np.split(ids, ends)]
    train, valid, test = parts
    return Corpus(name, Vocabulary([f"w{i}" for i in known]), "space", train, valid, test)


def joined(corpus: Corpus) -> np.ndarray:
    """All three parts of a corpus, one after the other."""
    return np.concatenate([corpus.train, corpus.valid, corpus.test])


def two_sided(share: float, seed: int = 0) -> np.ndarray:
    """Words of a class, of which all but this share are heard as another class, as in lesson 13."""
    language, rng = ClassLanguage.make(20, 15, rng=0), np.random.default_rng(1)
    V = len(language.words)
    heard = language.class_of.copy()
    moved = 1 + rng.permutation(V - 1)[: round((1 - share) * (V - 1))]
    heard[moved] = heard[rng.permutation(moved)]
    return walk(language.follow[heard][:, language.class_of] * language.emit, seed)


def random_successors(V: int, count: int, seed: int = 0) -> np.ndarray:
    """Each word is followed by a few others, drawn at random, all equally often."""
    rng = np.random.default_rng(2)
    P = np.zeros((V, V))
    for row in P:
        row[rng.choice(V, count, replace=False)] = 1 / count
    return walk(P, seed)


def walk(P: np.ndarray, seed: int) -> np.ndarray:
    """A text from a table of chances, row i those of each word after word i."""
    chances, ids, word = P.cumsum(axis=1), np.empty(TOKENS, np.intp), 0
    for i, draw in enumerate(np.random.default_rng(seed).random(TOKENS)):
        word = ids[i] = min(chances[word].searchsorted(draw), len(P) - 1)
    return ids


def english() -> str:
    """The language reference that every CPython carries, as one text."""
    return "\n".join(topics_text())


def words_of(text: str, tokenizer: str = "word", min_count: int | None = None) -> np.ndarray:
    """The ids of a text's tokens, in its order."""
    return joined(text_corpus("", split_lines(text), tokenizer, min_count))


def subwords_of(text: str, merges: int = 500) -> np.ndarray:
    """The ids of a text's subwords."""
    return np.array(BPE.learn([text], merges).encode(text))


def numbers(language: int) -> np.ndarray:
    """Numbers in English (0) or French (1) words."""
    return words_of("\n".join(pair[language] for pair in number_pairs(9000, rng=0)))


def sums() -> np.ndarray:
    """Sums such as 17+25=42, digit by digit."""
    a, b = np.random.default_rng(0).integers(100, size=(2, 5000))
    lines = [f"{i}+{j}={i + j}" for i, j in zip(a, b, strict=True)]
    return words_of("\n".join(lines), "char")


def source() -> str:
    """Python's own modules."""
    return "\n".join(map(inspect.getsource, SOURCES))


def docstrings() -> str:
    """What those modules, and those that they use, say of themselves."""
    import collections
    import decimal
    import email
    import logging
    import pathlib
    import random
    import statistics
    import subprocess
    import unittest

    modules = [*SOURCES, collections, decimal, email, logging, pathlib, random, statistics,
               subprocess, unittest, np, np.linalg, np.random]  # fmt: skip
    found = dict.fromkeys(
        inspect.getdoc(part) or ""
        for module in modules for part in (module, *vars(module).values())
    )  # fmt: skip
    return "\n".join(found)


def shuffled(ids: np.ndarray) -> np.ndarray:
    """The same words in random order."""
    return np.random.default_rng(0).permutation(ids)


TEXTS: dict[str, Callable[[], np.ndarray]] = {
    **{f"classes, share {s:g}": partial(two_sided, s) for s in (0, 0.25, 0.5, 0.75, 1)},
    "4 random successors, V = 200": partial(random_successors, 200, 4),
    "12 random successors, V = 400": partial(random_successors, 400, 12),
    "English, words": lambda: words_of(english()),
    "English, words backwards": lambda: words_of(english())[:TOKENS][::-1],
    "English, words shuffled": lambda: shuffled(words_of(english())[:TOKENS]),
    "English, subwords": lambda: subwords_of(english()),
    "English, characters": lambda: words_of(english(), "char"),
    "docstrings, words": lambda: words_of(docstrings()),
    "Python source, tokens": lambda: words_of(source()),
    "Python source, characters": lambda: words_of(source(), "char"),
    "numbers in English": partial(numbers, 0),
    "numbers in French": partial(numbers, 1),
    "sums, digit by digit": sums,
}


def small_english() -> Corpus:
    """The first of the English words."""
    return cut("English, words", TEXTS["English, words"]())


def texts() -> dict[str, Corpus]:
    """Every one of them."""
    return {name: cut(name, make()) for name, make in TEXTS.items()}
