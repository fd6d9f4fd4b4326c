"""Initial parameters: small enough that the first loss is ln V, whatever the options."""

import numpy as np


def uniform_params(shapes, rng, dtype):
    """Uniform weights by name; biases zero.

    A token matrix in ±1/(2√D), so that a score, a dot product of D terms with |h| <= 1, has a
    standard deviation of at most 0.29 and the first loss stays within 0.04 nats of ln V. Every
    other matrix in ±1/√fan_in.
    """
    return {name: one_array(name, shape, rng).astype(dtype) for name, shape in shapes.items()}


def one_array(name, shape, rng):
    """One parameter in float64."""
    if len(shape) == 1:
        return np.zeros(shape)
    bound = 1 / np.sqrt(shape[1])
    if name.startswith("E"):
        bound /= 2
    return rng.uniform(-bound, bound, shape)
