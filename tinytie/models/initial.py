"""Initial parameters: small enough that the first loss is ln V, whatever the options."""

import numpy as np


def recurrent_bound(D):
    """Token matrices in ±1/(2√D): with |h_i| <= 1 a score, a dot product of D terms, has a
    standard deviation of at most 0.29, and the first loss stays within 0.04 nats of ln V.
    """
    return 1 / (2 * np.sqrt(D))


def transformer_bound(D):
    """Token matrices in ±2/D where that is smaller. Layer norm gives h the length √D, and the
    residual sums let it point along the row of the word just read: a tied model's score of that
    word is then up to √D · |e|, which this bound keeps below 1.2 at any width.
    """
    return min(2 / D, recurrent_bound(D))


def uniform_params(shapes, rng, dtype, token_bound=recurrent_bound):
    """Uniform weights by name: token matrices and positions in ±token_bound(D), every other
    matrix in ±1/√fan_in; gains one, other vectors zero.
    """
    return {
        name: one_array(name, shape, rng, token_bound).astype(dtype)
        for name, shape in shapes.items()
    }


def one_array(name, shape, rng, token_bound):
    """One parameter in float64."""
    if len(shape) == 1:
        return np.full(shape, 1.0 if "gain" in name else 0.0)
    token = name.startswith("E") or name == "pos"
    bound = token_bound(shape[1]) if token else 1 / np.sqrt(shape[1])
    return rng.uniform(-bound, bound, shape)
