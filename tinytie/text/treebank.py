"""Texts in the format of the Penn Treebank files: words set apart by blanks, a sentence a line."""

import os
from collections import Counter
from pathlib import Path

from tinytie.text.corpora import Corpus
from tinytie.text.files import read_text
from tinytie.text.tokenizers import tokenize
from tinytie.text.vocabulary import Vocabulary

FILES = ("ptb.train.txt", "ptb.valid.txt", "ptb.test.txt")
PENN_TREEBANK = (10_000, 929_589, 73_760, 82_430)  # words, and tokens of the three files


def treebank_corpus(folder: str | os.PathLike) -> Corpus:
    """The three files of a folder; see `blank_corpus`. Raises ValueError where one is missing."""
    paths = [Path(folder) / name for name in FILES]
    missing = [path.name for path in paths if not path.exists()]
    if missing:
        raise ValueError(f"{str(folder)!r} must hold {', '.join(FILES)}; missing {missing}")
    return blank_corpus(*paths)


def blank_corpus(
    train: str | os.PathLike, valid: str | os.PathLike, test: str | os.PathLike
) -> Corpus:
    """Three files as they are, with `<eos>` at the end of each line.

    The vocabulary is every word of the training file, in order of frequency, then alphabet. Words
    that only the others hold are `<unk>`; ValueError where the training file has no `<unk>`.
    """
    words, *others = [tokenize(read_text(path), "space") for path in (train, valid, test)]
    counts = Counter(words)
    vocabulary = Vocabulary(sorted(counts, key=lambda word: (-counts[word], word)))
    ids, valid_ids, test_ids = map(vocabulary.encode, (words, *others))
    return Corpus(os.fspath(train), vocabulary, "space", ids, valid_ids, test_ids)


def is_penn_treebank(corpus: Corpus) -> bool:
    """Whether the sizes are those of the files that the published numbers were measured on."""
    sizes = len(corpus.vocabulary), len(corpus.train), len(corpus.valid), len(corpus.test)
    return sizes == PENN_TREEBANK
