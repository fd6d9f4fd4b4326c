"""Wrong answers to lesson 11. Docstring: the exercise, and what the message must say."""

import numpy as np


def nan_for_no_direction(dE_in, dE_out):
    """row_facts: a row of zeros has no direction"""
    norm_in, norm_out = np.linalg.norm(dE_in, axis=1), np.linalg.norm(dE_out, axis=1)
    return norm_in, norm_out, np.sum(dE_in * dE_out, axis=1) / (norm_in * norm_out)


def dot_for_cosine(dE_in, dE_out):
    """row_facts: cosine: this is the dot product"""
    norm_in, norm_out = np.linalg.norm(dE_in, axis=1), np.linalg.norm(dE_out, axis=1)
    return norm_in, norm_out, np.sum(dE_in * dE_out, axis=1)


def squares(dE_in, dE_out):
    """row_facts: norm_in: this is the sum of squares"""
    return (dE_in**2).sum(axis=1), (dE_out**2).sum(axis=1), np.zeros(len(dE_in))


def by_column(dE_in, dE_out):
    """row_facts: norm_in: it must return an array of shape (9,)"""
    norms = [np.linalg.norm(path, axis=0) for path in (dE_in, dE_out)]
    return *norms, norms[0] * norms[1]


def loop(make_model, x, y, rate, scales, carry=True, only_e=False, twice=False, everything=False):
    model, state, losses = make_model(), None, []
    for inputs, targets in zip(x, y, strict=True):
        loss, grads, last, paths, _ = model.loss_and_grads(inputs, targets, state)
        state = last if carry else None
        for name, gradient in grads.items():
            if (name != "E" or twice or everything) and not only_e:
                model.params[name] -= rate * gradient * (scales[0] if everything else 1)
        if not everything:
            dE = scales[0] * paths.input + scales[1] * paths.output
            model.params["E"] -= rate * dE
        losses.append(loss)
    return losses


def state_forgotten(make_model, x, y, rate, scale_in, scale_out):
    """train_scaled: each batch starts from a zero state"""
    return loop(make_model, x, y, rate, (scale_in, scale_out), carry=False)


def changed_places(make_model, x, y, rate, scale_in, scale_out):
    """train_scaled: the two scales have changed places"""
    return loop(make_model, x, y, rate, (scale_out, scale_in))


def only_e_moves(make_model, x, y, rate, scale_in, scale_out):
    """train_scaled: E is the only parameter that moves"""
    return loop(make_model, x, y, rate, (scale_in, scale_out), only_e=True)


def stepped_twice(make_model, x, y, rate, scale_in, scale_out):
    """train_scaled: E is stepped twice"""
    return loop(make_model, x, y, rate, (scale_in, scale_out), twice=True)


def all_scaled(make_model, x, y, rate, scale_in, scale_out):
    """train_scaled: every gradient is scaled"""
    return loop(make_model, x, y, rate, (scale_in, scale_out), everything=True)


def scales_unused(make_model, x, y, rate, scale_in, scale_out):
    """train_scaled: the scales are not used"""
    return loop(make_model, x, y, rate, (1, 1))
