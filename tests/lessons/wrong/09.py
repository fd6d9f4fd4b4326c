"""Wrong answers to lesson 09. Docstring: the exercise, and what the message must say."""

LINES = {
    "scores": {"E_out", "c"},
    "projection": {"P", "p"},
    "recurrence": {"W", "U", "b"},
    "lookup": {"E_in"},
}


def the_embedding_is_to_blame(failed):
    """suspects: the projection cannot be the broken line: something nearer to the loss failed"""
    return {line for line, own in LINES.items() if own & failed}


def only_the_first_line_that_fails(failed):
    """suspects: may be broken too: its own gradients are right, but what it hands down"""
    for line, own in LINES.items():
        if own & failed:
            return {line}
    return set()


def always_the_line_above(failed):
    """suspects: what it hands down would spoil all that lies below"""
    above = set()
    for line, own in LINES.items():
        if own & failed:
            return {line} | above
        above = {line}
    return set()


def whatever_failed(failed):
    """suspects: it must return a set of the names"""
    return failed


def as_it_is(fails, sentence):
    """smallest_failure: still fails without its word 0"""
    return sentence


def cut_from_the_end(fails, sentence):
    """smallest_failure: still fails without its word"""
    while fails(sentence[:-1]):
        sentence = sentence[:-1]
    return sentence


def one_word_too_many(fails, sentence):
    """smallest_failure: passes, so the bug cannot be seen"""
    while fails(sentence):
        sentence = sentence[:-1]
    return sentence


def a_new_sentence(fails, sentence):
    """smallest_failure: is no part of"""
    return [0, 0, 0]


def skips_the_next(fails, sentence):
    """smallest_failure: still fails without its word"""
    for i in range(len(sentence)):  # after a cut, the word that moves up to i is never tried
        if fails(sentence[:i] + sentence[i + 1 :]):
            sentence = sentence[:i] + sentence[i + 1 :]
    return sentence
