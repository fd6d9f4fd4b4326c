"""A loss in chunks never holds all N × V scores: what a large vocabulary lives on."""

import tracemalloc

import numpy as np
import pytest

from tinytie.ops.augmented import augmented_loss_backward, augmented_loss_forward
from tinytie.ops.head import head_backward, head_forward

N, V, D = 1000, 300, 3
SCORES = 8 * N * V  # bytes of all scores in float64
RNG = np.random.default_rng(0)
H, E, C, L = (RNG.standard_normal(shape) for shape in [(N, D), (V, D), (V,), (V, D)])
Y = RNG.integers(V, size=N)

LOSSES = {
    "head": (
        lambda **chunk: head_forward(H, E, C, Y, **chunk), head_backward
    ),
    "augmented loss": (
        lambda **chunk: augmented_loss_forward(H, E, C, Y, L, 1.3, 1.7, **chunk),
        augmented_loss_backward,
    ),
}  # fmt: skip


def peak_bytes(call):
    """What the call returns, and the most memory that it held at a time."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", LOSSES)
def test_both_passes_hold_no_more_scores_than_a_chunk_has(name):
    forward, backward = LOSSES[name]
    (_, cache), held = peak_bytes(lambda: forward(chunk=10))
    assert held < SCORES / 4
    _, held = peak_bytes(lambda: backward(1.0, cache))
    assert held < SCORES / 4


def test_the_augmented_loss_works_on_a_few_rows_beside_the_gradient_that_it_keeps():
    _, held = peak_bytes(LOSSES["augmented loss"][0])
    assert SCORES < held < 2 * SCORES
