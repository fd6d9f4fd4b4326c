"""From a text to tokens and back: words or characters, with `<eos>` at the end of each line."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

UNK, EOS = "<unk>", "<eos>"  # a word outside the vocabulary; the end of a line

WORD = re.compile(r"<unk>|\w+(?:['’]\w+)*|[^\w\s]")  # a word, or one mark of punctuation
CLOSE = re.compile(r"(?<=\w) ([,.;:!?)\]])|([(\[]) (?=\w)")  # no space before, or after


class Tokenizer(NamedTuple):
    split: Callable[[str], list[str]]  # one line -> its tokens
    between: str  # what stands between two tokens when they become text again
    min_count: int  # how often a token must occur to get a row of its own, unless said otherwise


TOKENIZERS = {
    "word": Tokenizer(lambda line: WORD.findall(line.lower()), " ", 3),
    "char": Tokenizer(list, "", 1),
    "space": Tokenizer(str.split, " ", 1),  # for a text whose words are already set apart
}


def find_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of this name, or a ValueError that lists the names."""
    if name not in TOKENIZERS:
        raise ValueError(f"tokenizer must be one of {', '.join(TOKENIZERS)}; got {name!r}")
    return TOKENIZERS[name]


def tokenize(text: str, tokenizer: str = "word") -> list[str]:
    """The tokens of all lines, each line followed by `<eos>`.

    >>> tokenize("Tie it, twice!\\nNow.")
    ['tie', 'it', ',', 'twice', '!', '<eos>', 'now', '.', '<eos>']
    """
    split = find_tokenizer(tokenizer).split
    lines = text.removesuffix("\n").split("\n")
    return [token for line in lines for token in (*split(line), EOS)]


def join(tokens: Iterable[str], tokenizer: str = "word") -> str:
    """Tokens as a text again: a new line for each `<eos>`.

    Words have a space between them, but for marks that stand close to a word in print.
    """
    between = find_tokenizer(tokenizer).between
    lines: list[list[str]] = [[]]
    for token in tokens:
        if token == EOS:
            lines.append([])
        else:
            lines[-1].append(token)
    text = "\n".join(between.join(line) for line in lines)
    return CLOSE.sub(lambda mark: mark[1] or mark[2], text) if tokenizer == "word" else text
