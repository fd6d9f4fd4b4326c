"""Greedy decoding: the translator reads its own last word, and takes the likeliest next one."""

from typing import NamedTuple

import numpy as np

from tinytie.models.encoder_decoder import TranslatorMasks, decode_forward, encode_forward, state_of
from tinytie.ops.softmax import scores_forward


class Translation(NamedTuple):
    ids: np.ndarray  # (B, L); what follows a row's <eos> is padding, or <eos> again
    attention: np.ndarray  # (B, L, S), what each step read of the source; a row sums to one


def greedy(matrices, body, source, valid, cell, options, max_len):
    """All sentences of a batch at once, until each has its <eos> or max_len words.

    matrices (E_source, E_target, E_out); options has .bos_id, .eos_id, .padding_id, .embed_scale.
    """
    E_source, E_target, E_out = matrices
    no_masks, scale = TranslatorMasks(), options.embed_scale
    h, last, _ = encode_forward(E_source, body.encoder, source, valid, None, cell, scale)
    state, word = state_of(last, cell), np.full((len(source), 1), options.bos_id)
    ended = np.zeros(len(source), bool)
    ids: list[np.ndarray] = []
    attention: list[np.ndarray] = []
    while len(ids) < max_len and not ended.all():
        o, state, cache = decode_forward(
            E_target, body, word, state, h, valid, no_masks, cell, scale
        )
        scores, _ = scores_forward(o, E_out, body.c)
        word = likeliest(scores, options)
        word[ended] = options.eos_id if options.padding_id is None else options.padding_id
        ended |= word[:, 0] == options.eos_id
        ids.append(word)
        attention.append(cache.attended.weights)
    return Translation(np.concatenate(ids, axis=1), np.concatenate(attention, axis=1))


def likeliest(scores, options):
    """The word of the highest score, (B, 1); never <bos> and never padding. scores (B, 1, V)."""
    scores[..., options.bos_id] = -np.inf
    if options.padding_id is not None:
        scores[..., options.padding_id] = -np.inf
    return scores.argmax(axis=-1)
