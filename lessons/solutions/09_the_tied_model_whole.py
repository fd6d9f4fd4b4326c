"""Lesson 09: reference answers."""

LINES = {
    "scores": {"E_out", "c"},
    "projection": {"P", "p"},
    "recurrence": {"W", "U", "b"},
    "lookup": {"E_in"},
}


def suspects(failed):
    found, names = set(), list(LINES)
    for i, line in enumerate(names):
        below = set().union(*(LINES[other] for other in names[i + 1 :]))
        left = failed - LINES[line]  # what this line's own parameters do not explain
        if failed and left in (set(), below):
            found.add(line)
    return found


def smallest_failure(fails, sentence):
    i = 0
    while i < len(sentence):
        shorter = sentence[:i] + sentence[i + 1 :]
        if fails(shorter):
            sentence, i = shorter, 0  # a word that was needed may not be needed any more
        else:
            i += 1
    return sentence
