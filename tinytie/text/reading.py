"""How a saved model reads: from a text to its ids and back, in words or in GPT-2's subwords."""

from collections.abc import Iterable

import numpy as np

from tinytie.text.byte_level import NAME, ByteLevel
from tinytie.text.tokenizers import EOS, UNK, find_tokenizer, join, tokenize
from tinytie.text.vocabulary import Vocabulary


class WordReader:
    """The words, or characters, of a vocabulary, a line at a time. `ByteLevel` has the same."""

    def __init__(self, words: list[str], tokenizer: str) -> None:
        find_tokenizer(tokenizer)
        self.vocabulary, self.tokenizer = Vocabulary(words), tokenizer
        if EOS not in self.vocabulary.ids:
            raise ValueError(f"the vocabulary has no {EOS}, where a text would start")
        self.words = words  # as people may read them
        self.rows = self.vocabulary.ids  # the id of a word
        self.start = self.rows[EOS]  # the id before the first word of a text
        self.unknown = self.rows.get(UNK, -1)

    def encode(self, text: str) -> np.ndarray:
        """Ids (n,) of the whole text, the end of each line among them."""
        return self.vocabulary.encode(tokenize(text, self.tokenizer))

    def begin(self, text: str) -> np.ndarray:
        """The same without the end of the last line, so that it may go on."""
        return self.encode(text)[:-1]

    def go_on(self, text: str, ids: Iterable[int]) -> str:
        """The text and what follows it; the spacing of words is not kept."""
        given = tokenize(text, self.tokenizer)[:-1]
        return join([*given, *self.vocabulary.decode(ids)], self.tokenizer)

    def pieces(self, text: str) -> list[str]:
        """The words of a text, and what the vocabulary makes of each where that differs."""
        words = tokenize(text, self.tokenizer)
        return [word if word in self.rows else f"{word} ({UNK})" for word in words]


Reader = WordReader | ByteLevel


def reader_of(words: list[str], tokenizer: str) -> Reader:
    """What reads for a checkpoint. Raises ValueError on an unknown tokenizer."""
    return ByteLevel(words) if tokenizer == NAME else WordReader(words, tokenizer)
