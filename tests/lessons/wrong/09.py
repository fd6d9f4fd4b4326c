"""Wrong answers to lesson 09. Docstring: the exercise, and what the message must say."""

import numpy as np

from tinytie.course import reference

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


def model(params, x, y, h0):
    """Everything that the exercise asks for, and the two paths."""
    loss, grads, last = reference.loss_and_grads(params, x, y, h0)
    zero = np.zeros_like(params["E"])
    ignored, reference.lookup_backward = reference.lookup_backward, lambda de, x, V: zero
    dE_out = reference.loss_and_grads(params, x, y, h0)[1]["E"]
    reference.lookup_backward = ignored
    return loss, grads, last, grads["E"] - dE_out, dE_out


def no_lookup_path(params, x, y, h0):
    """loss_and_grads: dE: the lookup's path is missing"""
    loss, grads, last, _dE_in, dE_out = model(params, x, y, h0)
    return loss, grads | {"E": dE_out}, last


def no_scores_path(params, x, y, h0):
    """loss_and_grads: dE: the scores' path is missing"""
    loss, grads, last, dE_in, _dE_out = model(params, x, y, h0)
    return loss, grads | {"E": dE_in}, last


def the_mean_of_both(params, x, y, h0):
    """loss_and_grads: dE: this is the mean"""
    loss, grads, last, dE_in, dE_out = model(params, x, y, h0)
    return loss, grads | {"E": (dE_in + dE_out) / 2}, last


def their_difference(params, x, y, h0):
    """loss_and_grads: dE: the two paths are subtracted"""
    loss, grads, last, dE_in, dE_out = model(params, x, y, h0)
    return loss, grads | {"E": dE_out - dE_in}, last


def written_over(params, x, y, h0):
    """loss_and_grads: dE: the lookup"""
    loss, grads, last, dE_in, dE_out = model(params, x, y, h0)
    return loss, grads | {"E": np.where(np.isin(np.arange(7), x)[:, None], dE_in, dE_out)}, last


def summed_loss(params, x, y, h0):
    """loss_and_grads: the loss: this is the sum"""
    loss, grads, last, _dE_in, _dE_out = model(params, x, y, h0)
    return x.size * loss, grads, last


def a_perplexity(params, x, y, h0):
    """loss_and_grads: the loss: this is the perplexity"""
    loss, grads, last, _dE_in, _dE_out = model(params, x, y, h0)
    return np.exp(loss), grads, last


def a_negative_loss(params, x, y, h0):
    """loss_and_grads: the loss: the sign"""
    loss, grads, last, _dE_in, _dE_out = model(params, x, y, h0)
    return -loss, grads, last


def keeps_h0(params, x, y, h0):
    """loss_and_grads: the last state: this is h0"""
    loss, grads, _last, _dE_in, _dE_out = model(params, x, y, h0)
    return loss, grads, h0


def one_name_short(params, x, y, h0):
    """loss_and_grads: look at c"""
    loss, grads, last, _dE_in, _dE_out = model(params, x, y, h0)
    return loss, {name: grads[name] for name in "EWUbPp"}, last


def two_names(params, x, y, h0):
    """loss_and_grads: look at E, E_in, E_out"""
    loss, grads, last, dE_in, dE_out = model(params, x, y, h0)
    rest = {name: grads[name] for name in "WUbPpc"}
    return loss, rest | {"E_in": dE_in, "E_out": dE_out}, last


def no_state(params, x, y, h0):
    """loss_and_grads: it must return three things"""
    loss, grads, _last, _dE_in, _dE_out = model(params, x, y, h0)
    return loss, grads


def a_list_of_grads(params, x, y, h0):
    """loss_and_grads: must be a dict"""
    loss, grads, last, _dE_in, _dE_out = model(params, x, y, h0)
    return loss, list(grads.values()), last


def twice_the_bias(params, x, y, h0):
    """loss_and_grads: dc: every entry is 2 times"""
    loss, grads, last, _dE_in, _dE_out = model(params, x, y, h0)
    return loss, grads | {"c": 2 * grads["c"]}, last


def zero_projection(params, x, y, h0):
    """loss_and_grads: dP: it returns zeros"""
    loss, grads, last, _dE_in, _dE_out = model(params, x, y, h0)
    return loss, grads | {"P": 0 * grads["P"]}, last
