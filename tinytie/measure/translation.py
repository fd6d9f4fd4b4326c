"""How well a translator does: its loss, its translations, and how many are right to the letter."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tinytie.measure.bleu import bleu_words, corpus_bleu
from tinytie.models.translator import Translator
from tinytie.text.bpe import BPE, EOS, PAD
from tinytie.text.pairs import Encoded, Pair, PairBatches, padded

TOGETHER = 128  # sentences at a time


def translation_loss(model: Translator, encoded: Sequence[Encoded]) -> float:
    """Mean nats per target subword, its <eos> included, over all pairs."""
    nats, tokens = 0.0, 0
    for source, target in PairBatches(encoded, TOGETHER):
        n = int(np.count_nonzero(target[:, 1:] != PAD))
        nats += model.loss(source, target) * n
        tokens += n
    return nats / tokens


def translate_texts(model: Translator, bpe: BPE, texts: Sequence[str]) -> list[str]:
    """Each text's greedy translation, in the order given."""
    rows = [[*bpe.encode(text), EOS] for text in texts]
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    found: dict[int, str] = {}
    for start in range(0, len(order), TOGETHER):
        places = order[start : start + TOGETHER]
        ids = model.translate(padded([rows[i] for i in places])).ids
        found |= {i: bpe.decode(row) for i, row in zip(places, ids, strict=True)}
    return [found[i] for i in range(len(rows))]


class TranslationScore(NamedTuple):
    exact: float  # the share of translations equal to their reference, 0 … 1
    bleu: float  # 0 … 100


def score_translations(translations: Sequence[str], pairs: Sequence[Pair]) -> TranslationScore:
    """Against the second text of each pair."""
    references = [target for _, target in pairs]
    equal = [a == b for a, b in zip(translations, references, strict=True)]
    bleu = corpus_bleu([*map(bleu_words, translations)], [*map(bleu_words, references)])
    return TranslationScore(sum(equal) / len(equal), bleu.score)


class AttentionMap(NamedTuple):
    """One sentence's translation, and what each of its subwords read."""

    weights: np.ndarray  # (L, S), each row sums to one
    source: list[str]  # S subwords
    target: list[str]  # L subwords


def attention_map(model: Translator, bpe: BPE, text: str) -> AttentionMap:
    """The attention of a greedy translation, subword by subword."""
    source = [*bpe.encode(text), EOS]
    found = model.translate(np.array([source]))
    labels = [[bpe.spell(int(i)) for i in ids] for ids in (source, found.ids[0])]
    return AttentionMap(found.attention[0], *labels)
