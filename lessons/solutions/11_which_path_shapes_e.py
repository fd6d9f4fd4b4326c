"""Lesson 11: reference answers."""

import numpy as np


def row_facts(dE_in, dE_out):
    norm_in, norm_out = np.linalg.norm(dE_in, axis=1), np.linalg.norm(dE_out, axis=1)
    both = norm_in * norm_out
    dots = np.sum(dE_in * dE_out, axis=1)
    return norm_in, norm_out, np.where(both > 0, dots / np.where(both > 0, both, 1), 0)


def train_scaled(make_model, x, y, rate, scale_in, scale_out):
    model, state, losses = make_model(), None, []
    for inputs, targets in zip(x, y, strict=True):
        result = model.loss_and_grads(inputs, targets, state)
        state = result.state
        paths = result.embedding_paths
        dE = scale_in * paths.input + scale_out * paths.output
        for name, gradient in (result.grads | {"E": dE}).items():
            model.params[name] -= rate * gradient
        losses.append(result.loss)
    return losses
