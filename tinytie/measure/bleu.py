"""BLEU, how much of a translation is in the reference (Papineni et al. 2002, section 2.3).

p_n   the share of the translations' n-grams that the references hold too, over the whole corpus;
      an n-gram counts at most as often as it stands in its own sentence's reference
BP    1 where the translations together are longer than the references, else exp(1 − r / c)
BLEU  100 · BP · exp(mean of log p_n for n = 1 … 4); 0 where some p_n is 0
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")


class Bleu(NamedTuple):
    score: float  # 0 … 100
    precisions: tuple[float, ...]  # p_1 … p_N, each 0 … 1
    brevity: float  # BP, 0 … 1


def bleu_words(text: str) -> list[str]:
    """A text's words and punctuation marks; hyphens and apostrophes inside a word stay there."""
    return WORD.findall(text)


def corpus_bleu(
    translations: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4
) -> Bleu:
    """BLEU of lists of words, one reference for each translation.

    Where no translation has n words p_n is 0, and so is BLEU. Raises ValueError where the two
    have not equally many sentences, or none.
    """
    if len(translations) != len(references) or not references:
        raise ValueError(
            f"got {len(translations)} translations and {len(references)} references; each "
            "translation needs its reference, and there must be one"
        )
    found, total = [0] * max_n, [0] * max_n
    for translation, reference in zip(translations, references, strict=True):
        for n in range(1, max_n + 1):
            ngrams, allowed = counted(translation, n), counted(reference, n)
            found[n - 1] += (ngrams & allowed).total()  # & keeps the smaller count of each n-gram
            total[n - 1] += ngrams.total()
    precisions = tuple(f / t if t else 0.0 for f, t in zip(found, total, strict=True))
    brevity = brevity_penalty(sum(map(len, translations)), sum(map(len, references)))
    if 0 in precisions:
        return Bleu(0.0, precisions, brevity)
    mean = sum(map(math.log, precisions)) / max_n
    return Bleu(100 * brevity * math.exp(mean), precisions, brevity)


def counted(words, n):
    """How often each n-gram of a sentence occurs in it."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def brevity_penalty(c, r):
    """BP for translations of c words in all, and references of r."""
    if c >= r:
        return 1.0
    return math.exp(1 - r / c) if c else 0.0
