"""Initial parameters: E as large as learns fastest, and the first loss still ln V in every mode.

Below these bounds the first steps are spent on making E larger: tests/benchmarks/README.md has the
measurements. Where E is large, what the body sees of a word is large; but its scores are too.
"""

import numpy as np

UNSURE = 0.03  # of ln V: by so much may the score of the word just read raise the first loss


def recurrent_bound(D, scale=1.0):
    """Token matrices in ±0.3, or ±1.4/√(scale·√D) where that is smaller.

    Uniform in ±s, a row has the length s√(D/3). W makes of s·scale an h of about s·scale/2.4, so
    that scores have the deviation s²·scale·√D/4.2: below 0.5 with this bound, which adds half of
    its square to the loss. A larger s than 0.3 learns no faster.
    """
    return min(0.3, 1.4 / np.sqrt(max(1.0, abs(scale)) * np.sqrt(D)))


def transformer_bound(D, V):
    """Token matrices in ±0.6/√D, or ±√3·ln(1 + 0.03·V·ln V)/D where that is smaller; at most ±0.2.

    Layer norm gives h the length √D: scores have the deviation s√(D/3), 0.35 with the first. And
    the residual sums let h point along the row of the word just read, whose score z is then up
    to √D·|e| = s·D/√3; it adds about (eᶻ − 1)/V to the loss, at most 0.03 ln V with the second.
    """
    return min(0.2, 0.6 / np.sqrt(D), np.sqrt(3) * np.log1p(UNSURE * V * np.log(V)) / D)


def uniform_params(shapes, rng, dtype, token_bound):
    """Uniform weights by name: token matrices in ±token_bound(D), positions in a quarter of that,
    so that they do not drown the words; every other matrix in ±1/√fan_in; gains one, other
    vectors zero.
    """
    return {
        name: one_array(name, shape, rng, token_bound).astype(dtype)
        for name, shape in shapes.items()
    }


def one_array(name, shape, rng, token_bound):
    """One parameter in float64."""
    if len(shape) == 1:
        return np.full(shape, 1.0 if "gain" in name else 0.0)
    bound = 1 / np.sqrt(shape[1])
    if name.startswith("E") or name == "pos":
        bound = token_bound(shape[1]) / (4 if name == "pos" else 1)
    return rng.uniform(-bound, bound, shape)
