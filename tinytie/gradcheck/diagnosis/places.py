"""Places of a batch of ids: which a careless lookup keeps, and what it moves instead."""

import numpy as np


def kept_places(x):
    """Which places of each token survive a careless scatter, as bool arrays of x's shape."""
    step, sentence = np.arange(x.shape[1]), np.arange(len(x))[:, None]
    kept = {
        "last place": last_of(x), "first place": first_of(x),
        "last place in a step": last_of(x, step), "first place in a step": first_of(x, step),
        "last place in a sentence": last_of(x, sentence),
        "first place in a sentence": first_of(x, sentence),
    }  # fmt: skip
    return {which: keep for which, keep in kept.items() if not keep.all()}


def last_of(x, group=0):
    """True at the last place of each token within a group, whose numbers may run either way."""
    return first_of(x[::-1, ::-1], group)[::-1, ::-1]


def first_of(x, group=0):
    """True at the first place of each token within a group."""
    pairs = np.stack([x, group + 0 * x], axis=-1).reshape(-1, 2)
    _, places = np.unique(pairs, axis=0, return_index=True)
    first = np.zeros(x.size, bool)
    first[places] = True
    return first.reshape(x.shape)


def only(x, keep):
    """v moves the rows that were looked up in these places, and no other."""
    return lambda v: v[x] * keep[..., None]


def repeated_edge(ids, by):
    """The ids of the step before (+1) or after (−1); the edge stays as it is."""
    shifted = np.roll(ids, by, axis=1)
    edge = 0 if by > 0 else -1
    shifted[:, edge] = ids[:, edge]
    return shifted


def without_edge(x, by, v):
    """Rows of the step before or after; at the edge nothing moves."""
    moved = v[np.roll(x, by, axis=1)]
    moved[:, 0 if by > 0 else -1] = 0
    return moved


def not_in_rows(tokens, v):
    """v moves the rows of all other tokens."""
    moved = v.copy()
    moved[tokens] = 0
    return moved
