"""What a translator accepts: pairs of padded sentences, two vocabularies, and their masks."""

import operator

import numpy as np

from tinytie.models import inputs, masks
from tinytie.models.encoder_decoder import TranslatorMasks


def vocabulary_sizes(vocab_size, tying):
    """(source, target), from one size for both or a pair; three-way tying needs one vocabulary."""
    if isinstance(vocab_size, tuple | list):
        if len(vocab_size) != 2:
            got = inputs.describe(vocab_size)
            raise ValueError(f"vocab_size must be one size, or (source, target); got {got}")
        source, target = map(inputs.vocabulary_size, vocab_size)
    else:
        source = target = inputs.vocabulary_size(vocab_size)
    if tying == "three-way" and source != target:
        raise ValueError(
            "tying='three-way' makes one matrix of three, so row i must mean the same subword in "
            f"both languages; the source vocabulary has {source} entries and the target's {target}."
            " Learn one joint vocabulary from both texts, or use tying='decoder'"
        )
    return source, target


def special_id(name, value, vocab_size):
    """The id of <bos> or <eos>, inside the target's vocabulary."""
    value = operator.index(value)
    if not 0 <= value < vocab_size:
        raise ValueError(f"{name} is {value}, outside the target vocabulary 0 … {vocab_size - 1}")
    return value


def sentences(name, ids, vocab_size, padding_id):
    """(B, T) ids in which padding stands only at the end of a row, and never fills one."""
    ids = inputs.token_ids(name, ids, vocab_size)
    valid = words(ids, padding_id)
    if not valid[:, 0].all():
        row = int(valid[:, 0].argmin())
        raise ValueError(f"row {row} of {name} begins with padding: there must be a word first")
    resumed = (valid[:, 1:] & ~valid[:, :-1]).any(axis=1)
    if resumed.any():
        row = int(resumed.argmax())
        raise ValueError(f"row {row} of {name} has a word after padding; padding goes at the end")
    return ids


def words(ids, padding_id):
    """Where there is a word and no padding, (B, T) bool."""
    return np.ones(ids.shape, bool) if padding_id is None else ids != padding_id


def targets(target, source, vocab_size, padding_id):
    """(B, T + 1) ids, a row for each of source; the first of a row is read and never predicted."""
    target = sentences("target", target, vocab_size, padding_id)
    if len(target) != len(source):
        raise ValueError(
            f"source and target must have the same number of rows, got {len(source)} and "
            f"{len(target)}"
        )
    if target.shape[1] < 2:
        raise ValueError(
            f"target has shape {target.shape}: a row is <bos>, words, <eos>, so at least 2 long"
        )
    return target


def places(source, x):
    """The places of the words that are read, (B, S) and (B, T), for each of `TranslatorMasks`."""
    return TranslatorMasks(source.shape, x.shape, x.shape)


def draw_masks(rng, drops, source, x, dtype):
    """New masks, in the order source, target, output; none where the share is 0."""
    pairs = zip(drops, places(source, x), strict=True)
    return TranslatorMasks(*(masks.draw_masks(drop, rng, shape, dtype) for drop, shape in pairs))


def check_masks(given, drops, source, x, dtype):
    """The masks to replay, each None or of its shape, in the model's dtype."""
    given = TranslatorMasks() if given is None else given
    if not isinstance(given, TranslatorMasks):
        raise TypeError(f"masks must be what loss_and_grads returned, got {type(given).__name__}")
    triples = zip(given, drops, places(source, x), strict=True)
    return TranslatorMasks(*(masks.check_masks(*one, dtype) for one in triples))
