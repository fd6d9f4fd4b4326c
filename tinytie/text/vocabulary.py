"""The vocabulary: which token is which row of E."""

from collections import Counter
from collections.abc import Iterable
from typing import Self

import numpy as np

from tinytie.text.tokenizers import EOS, UNK


class Vocabulary:
    """Tokens and their ids, 0 … V − 1. A token outside it is `<unk>`, where it has one."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = list(words)
        self.ids = {word: i for i, word in enumerate(self.words)}
        if len(self.ids) != len(self.words):
            twice = [word for word, n in Counter(self.words).items() if n > 1]
            raise ValueError(f"a vocabulary names each word once; {twice[0]!r} is there twice")

    @classmethod
    def build(cls, tokens: Iterable[str], min_count: int = 1) -> Self:
        """`<unk>`, `<eos>`, then every token that occurs min_count times, the frequent ones first.

        Tokens of the same frequency are in the order of the alphabet.
        """
        counts = Counter(tokens)
        common = [word for word, n in counts.items() if n >= min_count and word not in (UNK, EOS)]
        return cls([UNK, EOS, *sorted(common, key=lambda word: (-counts[word], word))])

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, tokens: Iterable[str]) -> np.ndarray:
        """Token ids (n,). Raises ValueError on an unknown token where there is no `<unk>`."""
        unknown = self.ids.get(UNK)
        ids = [self.ids.get(token, unknown) for token in tokens]
        if unknown is None and None in ids:
            wrong = next(token for token in tokens if token not in self.ids)
            raise ValueError(f"{wrong!r} is not in the vocabulary, which has no {UNK}")
        return np.array(ids, dtype=np.intp)

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The tokens of these ids."""
        return [self.words[i] for i in ids]
