"""GPT-2's subwords: byte pairs over any text, with `vocab.json` and `merges.txt` as they are.

A text is cut into words, and each word is its UTF-8 bytes, joined merge by merge. In the files a
byte is written as one printable character: itself where it has a shape, else one of U+0100 and up,
so that a blank is Ġ. Source: Radford et al. 2019, section 2.2, and the code released with it.
"""

import json
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from tinytie.text.bpe import as_text
from tinytie.text.files import read_text
from tinytie.text.merges import merged
from tinytie.text.vocabulary import Vocabulary

NAME = "gpt2"  # what a checkpoint calls this tokenizer
END = "<|endoftext|>"  # between two texts, and so before the first word of one
VERSION = "#version: 0.2"  # the first line of merges.txt
WHITE = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def byte_characters() -> list[str]:
    """The character for each byte, 0 … 255."""
    shaped = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return [chr(byte if byte in shaped else next(others)) for byte in range(256)]


CHARACTERS = byte_characters()
BYTES = {character: byte for byte, character in enumerate(CHARACTERS)}


class Kinds(dict[int, str]):
    """The kind of each character, for `str.translate`, found when it is first met.

    a letter is "a", or itself where a contraction may hold it; a number 0; a blank itself; other
    white space a newline; all else a full stop, but for the apostrophe.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in "strevmld ' ":
            kind = character
        elif character in WHITE:
            kind = "\n"
        else:
            kind = {"L": "a", "N": "0"}.get(unicodedata.category(character)[0], ".")
        self[code] = kind
        return kind


KINDS = Kinds()
WORD = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[a-z]+| ?0+| ?[.']+|\s+(?!\S)|\s+")


def words(text: str) -> list[str]:
    """The text cut as GPT-2 cuts it, at changes of kind; joined, the words are the text again."""
    return [text[slice(*match.span())] for match in WORD.finditer(text.translate(KINDS))]


class ByteLevel:
    """The subwords of a vocabulary, spelled as in the files, and the merges that make them."""

    def __init__(
        self, spellings: Sequence[str], merges: Iterable[tuple[str, str]] | None = None
    ) -> None:
        """merges None: as they follow from the order of the vocabulary, in which each new subword
        is two earlier ones. Raises ValueError on a byte or a merged subword without an id.
        """
        self.spellings = list(spellings)
        self.ids = Vocabulary(self.spellings).ids
        if missing := [byte for byte, one in enumerate(CHARACTERS) if one not in self.ids]:
            raise ValueError(f"the vocabulary has no subword for {len(missing)} of the 256 bytes")
        self.bytes = [spelled_bytes(word) for word in self.spellings]
        self.words = [shown(data) for data in self.bytes]
        self.of_bytes = [self.ids[character] for character in CHARACTERS]
        self.ranks: dict[tuple[int, int], tuple[int, int]] = {}
        if merges is None:
            self._follow_order()
        else:
            for a, b in merges:
                self._add(a, b)
        self._known: dict[str, list[int]] = {}  # the ids of words seen before

    def _follow_order(self):
        for new, spelling in enumerate(self.spellings):
            if len(spelling) > 1 and spelling != END and all(one in BYTES for one in spelling):
                pair = merged((self.ids[one] for one in spelling), self.ranks)
                if len(pair) == 2:
                    self.ranks[pair[0], pair[1]] = len(self.ranks), new

    def _add(self, a, b):
        if wrong := [word for word in (a, b, a + b) if word not in self.ids]:
            raise ValueError(f"the merge of {a!r} and {b!r} needs {wrong[0]!r}, which has no id")
        self.ranks.setdefault((self.ids[a], self.ids[b]), (len(self.ranks), self.ids[a + b]))

    @classmethod
    def load(cls, folder: str | os.PathLike) -> Self:
        """From the folder's `vocab.json` and `merges.txt`. Raises ValueError, naming the file."""
        files = [Path(folder) / name for name in ("vocab.json", "merges.txt")]
        try:
            spellings = ordered(json.loads(read_text(files[0])))
            return cls(spellings, pairs_of(read_text(files[1])))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{' and '.join(map(repr, map(str, files)))}: {error}") from None

    def files(self) -> dict[str, str]:
        """The text of each file, by name; `load` gives back the same subwords and merges."""
        lines = [VERSION, *(" ".join(pair) for pair in self.merges)]
        return {"vocab.json": json.dumps(self.ids), "merges.txt": "\n".join(lines) + "\n"}

    @property
    def merges(self) -> list[tuple[str, str]]:
        """In the order in which they are made."""
        return [(self.spellings[a], self.spellings[b]) for a, b in self.ranks]

    # how the commands read and write text: see `WordReader`

    unknown = -1

    @property
    def start(self) -> int:
        """The id before the first word of a text: that of the end of the text before."""
        return self.ids.get(END, 0)

    def encode(self, text: str) -> np.ndarray:
        """Ids (n,). `decode` gives the text back; END, written out, is its one id."""
        ids: list[int] = []
        for part in re.split(f"({re.escape(END)})", text):
            if part == END and END in self.ids:
                ids.append(self.ids[END])
            else:
                for word in words(part):
                    ids += self._word(word)
        return np.array(ids, dtype=np.intp)

    begin = encode

    def _word(self, word):
        if word not in self._known:
            data = word.encode("utf-8", "surrogatepass")
            self._known[word] = merged((self.of_bytes[byte] for byte in data), self.ranks)
        return self._known[word]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these ids. Bytes that are no UTF-8 become U+FFFD."""
        return as_text(b"".join(self.bytes[int(i)] for i in ids))

    def go_on(self, text: str, ids: Iterable[int]) -> str:
        """The text and what follows it."""
        return text + self.decode(ids)

    def pieces(self, text: str) -> list[str]:
        """The subwords of a text, to be shown."""
        return [self.words[i] for i in self.encode(text)]

    @property
    def rows(self) -> dict[str, int]:
        """The id of a word: that of the word with a blank before it, as in a text, where it is."""
        inside = {word[1:]: i for i, word in enumerate(self.words) if word[0] == "␣" and word[1:]}
        return {word: i for i, word in enumerate(self.words)} | inside


def shown(data):
    """A subword as people may read it: a blank as an open box, ␣, part of a character as \\xc3."""
    return data.decode("utf-8", "backslashreplace").replace(" ", "␣")


def spelled_bytes(spelling):
    """The bytes that a subword stands for; of one like END its own characters."""
    if all(character in BYTES for character in spelling):
        return bytes(BYTES[character] for character in spelling)
    return spelling.encode("utf-8", "surrogatepass")


def ordered(content: Any) -> list[str]:
    """The subwords in the order of their ids, which must be 0 … V − 1."""
    if not isinstance(content, dict) or sorted(content.values(), key=str) != sorted(
        range(len(content)), key=str
    ):
        raise ValueError("a vocabulary gives each subword its own id, 0 … V − 1")
    return sorted(content, key=lambda word: content[word])


def pairs_of(text):
    """The merges of merges.txt, one a line."""
    pairs = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line and not line.startswith("#version"):
            pair = line.split(" ")
            if len(pair) != 2 or not all(pair):
                raise ValueError(f"line {number} should hold two subwords, got {line[:40]!r}")
            pairs.append((pair[0], pair[1]))
    return pairs
