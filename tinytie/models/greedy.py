"""Greedy decoding: the translator reads its own last word, and takes the likeliest next one."""

from typing import NamedTuple

import numpy as np

from tinytie.models.encoder_decoder import TranslatorMasks
from tinytie.ops.embedding import embedding_forward
from tinytie.ops.softmax import scores_forward


class Translation(NamedTuple):
    ids: np.ndarray  # (B, L); what follows a row's <eos> is padding, or <eos> again
    attention: np.ndarray  # (B, L, S), what each step read of the source; a row sums to one


def greedy(model, source, valid, max_len):
    """All sentences of a batch at once, until each has its <eos> or max_len words."""
    E_source, E_target, E_out = model.embeddings()
    body, params, scale = model.body, model.params, model.embed_scale
    e, _ = embedding_forward(source, E_source, scale)
    h, state, _ = body.encode(e, params, valid, None)
    word, ended = np.full((len(source), 1), model.bos_id), np.zeros(len(source), bool)
    ids: list[np.ndarray] = []
    attention: list[np.ndarray] = []
    while len(ids) < max_len and not ended.all():
        e, _ = embedding_forward(word, E_target, scale)
        o, state, cache = body.decode(e, params, state, h, valid, TranslatorMasks())
        scores, _ = scores_forward(o, E_out, params.get("c"))
        word = likeliest(scores, model)
        word[ended] = model.eos_id if model.padding_id is None else model.padding_id
        ended |= word[:, 0] == model.eos_id
        ids.append(word)
        attention.append(cache.attended.weights)
    return Translation(np.concatenate(ids, axis=1), np.concatenate(attention, axis=1))


def likeliest(scores, model):
    """The word of the highest score, (B, 1); never <bos> and never padding. scores (B, 1, V)."""
    scores[..., model.bos_id] = -np.inf
    if model.padding_id is not None:
        scores[..., model.padding_id] = -np.inf
    return scores.argmax(axis=-1)
