"""Greedy decoding: the translator reads its own last word, and takes the likeliest next one."""

from typing import NamedTuple

import numpy as np

from tinytie.models.encoder_decoder import TranslatorMasks, decode_forward, encode_forward, state_of
from tinytie.ops.softmax import scores_forward


class Translation(NamedTuple):
    ids: np.ndarray  # (B, L); what follows a row's <eos> is padding, or <eos> again
    attention: np.ndarray  # (B, L, S), what each step read of the source; a row sums to one


def greedy(matrices, body, source, valid, cell, special, max_len):
    """All sentences of a batch at once, until each has its <eos> or max_len words.

    matrices (E_source, E_target, E_out); special has .bos_id, .eos_id and .padding_id.
    """
    E_source, E_target, E_out = matrices
    h, last, _ = encode_forward(E_source, body.encoder, source, valid, None, cell)
    state, word = state_of(last, cell), np.full((len(source), 1), special.bos_id)
    ended = np.zeros(len(source), bool)
    ids: list[np.ndarray] = []
    attention: list[np.ndarray] = []
    while len(ids) < max_len and not ended.all():
        o, state, cache = decode_forward(
            E_target, body, word, state, h, valid, TranslatorMasks(), cell
        )
        scores, _ = scores_forward(o, E_out, body.c)
        word = likeliest(scores, special)
        word[ended] = special.eos_id if special.padding_id is None else special.padding_id
        ended |= word[:, 0] == special.eos_id
        ids.append(word)
        attention.append(cache.attended.weights)
    return Translation(np.concatenate(ids, axis=1), np.concatenate(attention, axis=1))


def likeliest(scores, special):
    """The word of the highest score, (B, 1); never <bos> and never padding. scores (B, 1, V)."""
    scores[..., special.bos_id] = -np.inf
    if special.padding_id is not None:
        scores[..., special.padding_id] = -np.inf
    return scores.argmax(axis=-1)
