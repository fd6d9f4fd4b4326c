"""Learning byte-pair merges, and making them.

Learning counts neighbors once, then only what each merge changes.
"""

from collections import Counter, defaultdict
from itertools import pairwise

NEVER = (float("inf"), None)  # the rank of two symbols that no merge joins


def learn_merges(counts, n_merges, first_id):
    """The pairs to join, in their order; pair number i becomes the symbol first_id + i.

    counts: how often each word, a tuple of symbols, occurs. Of pairs that occur equally often the
    one with the smaller ids comes first. A pair that occurs only once is not worth a symbol.
    """
    words = [(list(word), n) for word, n in counts.items()]
    pairs: Counter = Counter()
    places: defaultdict = defaultdict(set)  # of each pair, the words that may hold it
    for place, (word, n) in enumerate(words):
        count_pairs(pairs, places, word, n, place)
    merges: list[tuple[int, int]] = []
    while len(merges) < n_merges and pairs:
        most = max(pairs.values())
        if most < 2:
            break
        best = min(pair for pair, n in pairs.items() if n == most)
        for place in places.pop(best):
            word, n = words[place]
            merged = apply_merge(word, best, first_id + len(merges))
            count_pairs(pairs, places, word, -n, place)
            count_pairs(pairs, places, merged, n, place)
            words[place] = merged, n
        merges.append(best)
    return merges


def count_pairs(pairs, places, word, n, place):
    """Add n for each two neighbors of a word; a pair that no longer occurs is forgotten."""
    for pair in pairwise(word):
        pairs[pair] += n
        if pairs[pair] == 0:
            del pairs[pair]
        if n > 0:
            places[pair].add(place)


def merged(ids, ranks):
    """The symbols of a word joined, the earliest merge first. ranks: pair -> (rank, new symbol)."""
    ids = list(ids)
    while len(ids) > 1:
        first = min(pairwise(ids), key=lambda pair: ranks.get(pair, NEVER))
        if first not in ranks:
            break
        ids = apply_merge(ids, first, ranks[first][1])
    return ids


def apply_merge(ids, pair, new):
    """The symbols with each occurrence of the pair, from the left, as one symbol `new`."""
    merged, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
            merged.append(new)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged
