"""The text of the translation task: numbers in words or a user's pairs, as joint subwords."""

from typing import NamedTuple

from tinytie.text.bpe import BPE, PAD, shared_subwords
from tinytie.text.numbers import number_pairs
from tinytie.text.pairs import Encoded, PairBatches, PairTexts, encode_pairs


def number_texts(seed: int = 0, train: int = 5000, held_out: int = 500) -> PairTexts:
    """Numbers in words, English to French; no number is in two of the parts."""
    pairs = number_pairs(train + 2 * held_out, seed)
    return PairTexts(pairs[:train], pairs[train : train + held_out], pairs[train + held_out :])


class Prepared(NamedTuple):
    """The text as subwords of one joint vocabulary."""

    texts: PairTexts
    bpe: BPE
    train: list[Encoded]
    valid: list[Encoded]
    shared: float  # the share of the subwords in use that both languages use


def prepare(texts: PairTexts, merges: int) -> Prepared:
    """Learn the subwords from both sides of the training pairs, and encode."""
    bpe = BPE.learn((text for pair in texts.train for text in pair), merges)
    train, valid = encode_pairs(texts.train, bpe), encode_pairs(texts.valid, bpe)
    shared = shared_subwords([pair.source for pair in train], [pair.target for pair in train])
    return Prepared(texts, bpe, train, valid, shared)


class TeacherForced(PairBatches):
    """Pair batches as the trainer takes them: x is (source, target), y the words to predict."""

    def __getitem__(self, i):
        source, target = super().__getitem__(i)
        y = target[:, 1:]
        return (source, target), y[y != PAD]  # the trainer weighs a batch by their number
