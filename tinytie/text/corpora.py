"""A corpus: three streams of token ids, and the vocabulary that they share."""

import os
from typing import NamedTuple

import numpy as np

from tinytie.text.classes import ClassLanguage
from tinytie.text.files import read_text
from tinytie.text.splits import SHARES, split_lines
from tinytie.text.tokenizers import UNK, find_tokenizer, tokenize
from tinytie.text.topics import topics_of_python, topics_text
from tinytie.text.vocabulary import Vocabulary


class Corpus(NamedTuple):
    name: str
    vocabulary: Vocabulary
    tokenizer: str
    train: np.ndarray  # (n,) ids
    valid: np.ndarray
    test: np.ndarray
    entropy: float | None = None  # nats per token of the process that made it, where that is known
    test_entropy: float | None = None  # what that process itself needs for the tokens of `test`

    @property
    def unknown(self) -> float:
        """The share of `<unk>` in the test text."""
        return float(np.mean(self.test == self.vocabulary.ids.get(UNK, -1)))


def topics_corpus(tokenizer: str = "word", min_count: int | None = None, seed: int = 0) -> Corpus:
    """Python's own language reference, split by whole topics: see `topics_text`."""
    return text_corpus(topics_of_python()[0], topics_text(seed), tokenizer, min_count)


def file_corpus(
    text: str | os.PathLike, valid: str | os.PathLike | None = None,
    test: str | os.PathLike | None = None, tokenizer: str = "word", min_count: int | None = None,
) -> Corpus:  # fmt: skip
    """Files of your own. Without files for validation and test, the one text is split 80/10/10.

    Raises ValueError on files that cannot be used, and where only one of the two is given.
    """
    if (valid is None) != (test is None):
        raise ValueError("give both a validation and a test file, or neither: then text is split")
    if valid is None or test is None:
        parts = split_lines(read_text(text))
    else:
        parts = read_text(text), read_text(valid), read_text(test)
    return text_corpus(os.fspath(text), parts, tokenizer, min_count)


def text_corpus(
    name: str, parts: tuple[str, str, str], tokenizer: str = "word", min_count: int | None = None
) -> Corpus:
    """A corpus from (train, valid, test) texts; the vocabulary is that of the training text.

    min_count None is the tokenizer's own. Raises ValueError where it leaves no word.
    """
    if min_count is None:
        min_count = find_tokenizer(tokenizer).min_count
    train, valid, test = (tokenize(part, tokenizer) for part in parts)
    vocabulary = Vocabulary.build(train, min_count)
    if len(vocabulary) == 2:
        raise ValueError(
            f"no {tokenizer} of the text occurs {min_count} times or more, so that nothing is left "
            "to predict; use a longer text or a lower minimum count"
        )
    encode = vocabulary.encode
    return Corpus(name, vocabulary, tokenizer, encode(train), encode(valid), encode(test))


def classes_corpus(n_tokens: int = 50_000, seed: int = 0) -> Corpus:
    """The made-up language of `ClassLanguage.make()`, 80/10/10, with its entropy.

    The language is always the same; the seed draws its text. The vocabulary holds every word of
    the language, seen or not, so that the entropy bounds every model.
    """
    language = ClassLanguage.make()
    ids = language.sample(n_tokens, np.random.default_rng(seed))
    ends = (np.cumsum(SHARES[:2]) * n_tokens).astype(int)
    train, valid, test = np.split(ids, ends)
    return Corpus(
        "classes", Vocabulary(language.words), "space", train, valid, test,
        language.entropy(), float(language.code_lengths(test).mean()),
    )  # fmt: skip
