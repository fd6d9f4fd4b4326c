"""Byte-pair encoding: subwords learned from a text, which spell any other text exactly.

A text is its UTF-8 bytes, 256 symbols to begin with. Learning joins the two neighbors that occur
most often into a new symbol, again and again (Sennrich, Haddow and Birch 2016, algorithm 1).
No symbol reaches across a word. A space belongs to the word behind it, and the text is read as
if a space stood before it, so that a word has the same subwords wherever it stands.

Ids: 0 is padding, 1 begins a sentence, 2 ends it, 3 to 258 are the bytes, then the merges.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from tinytie.text.merges import learn_merges, merged

PAD, BOS, EOS = 0, 1, 2
SPECIAL = ("<pad>", "<bos>", "<eos>")
FIRST_MERGE = len(SPECIAL) + 256
FORMAT = "tinytie byte pairs, version 1"
WORD = re.compile(r" ?\w+| ?[^\w\s]+|\s+")  # every character is in exactly one of its matches


def words(text: str) -> list[str]:
    """The text with a space before it, cut into words; joined, they are that text again."""
    return WORD.findall(" " + text)


def byte_ids(word: str) -> tuple[int, ...]:
    """The ids of a word's UTF-8 bytes; half of a surrogate pair is let through as three bytes."""
    return tuple(byte + len(SPECIAL) for byte in word.encode("utf-8", "surrogatepass"))


class BPE:
    """A list of merges, each a pair of ids; merge number i makes the id 259 + i."""

    def __init__(self, merges: Iterable[tuple[int, int]]) -> None:
        self.merges = [(int(a), int(b)) for a, b in merges]
        self.ranks = {pair: (i, FIRST_MERGE + i) for i, pair in enumerate(self.merges)}
        self.bytes = {i: bytes([i - len(SPECIAL)]) for i in range(len(SPECIAL), FIRST_MERGE)}
        for new, (a, b) in enumerate(self.merges, FIRST_MERGE):
            if a not in self.bytes or b not in self.bytes:
                raise ValueError(f"merge {new - FIRST_MERGE} joins {a} and {b}, not both known yet")
            self.bytes[new] = self.bytes[a] + self.bytes[b]
        if len(self.ranks) < len(self.merges):
            raise ValueError("the same two symbols are merged twice")
        self._known: dict[str, tuple[int, ...]] = {}  # the ids of words seen before

    @classmethod
    def learn(cls, texts: Iterable[str], n_merges: int) -> Self:
        """At most n_merges merges; fewer where no two neighbors occur twice any more."""
        counts = Counter(byte_ids(word) for text in texts for word in words(text))
        return cls(learn_merges(counts, n_merges, FIRST_MERGE))

    @property
    def vocab_size(self) -> int:
        """V: the three special ids, the bytes, and the merges."""
        return FIRST_MERGE + len(self.merges)

    def encode(self, text: str) -> list[int]:
        """The text's subword ids. `decode` gives the same text back, whatever it is."""
        ids: list[int] = []
        for word in words(text):
            if word not in self._known:
                self._known[word] = tuple(merged(byte_ids(word), self.ranks))
            ids += self._known[word]
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these ids, without special ones. Bytes that are no UTF-8 become U+FFFD."""
        data = b"".join(self.bytes[int(i)] for i in ids if int(i) >= len(SPECIAL))
        return as_text(data).removeprefix(" ")

    def spell(self, i: int) -> str:
        """One subword as people may read it: a space is shown as an open box, ␣."""
        if i < len(SPECIAL):
            return SPECIAL[i]
        return as_text(self.bytes[i]).replace(" ", "␣")

    def save(self, path: str | os.PathLike) -> None:
        """The merges as one JSON object."""
        content = {"format": FORMAT, "merges": self.merges}
        Path(path).write_text(json.dumps(content) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """What `save` wrote. Raises ValueError, naming the file, on anything else."""
        try:
            return cls(checked_merges(json.loads(Path(path).read_bytes())))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{str(path)!r} is not a file of byte-pair merges: {error}") from None


def as_text(data):
    """UTF-8 to text, with surrogates as `byte_ids` lets them through."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def checked_merges(content):
    """The list of merges of a loaded file."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"its format should be {FORMAT!r}")
    merges = content.get("merges")
    whole = isinstance(merges, list) and all(
        isinstance(m, list) and len(m) == 2 and all(type(i) is int for i in m) for m in merges
    )
    if not whole:
        raise ValueError("its merges should be pairs of whole numbers")
    return merges


def shared_subwords(sources: Iterable[Sequence[int]], targets: Iterable[Sequence[int]]) -> float:
    """The share of all subwords in use that both languages use: |A ∩ B| / |A ∪ B|, in [0, 1].

    sources and targets hold the ids of encoded sentences; special ids do not count.
    """
    a, b = ({i for ids in side for i in ids if i >= len(SPECIAL)} for side in (sources, targets))
    return len(a & b) / len(a | b) if a | b else 0.0
