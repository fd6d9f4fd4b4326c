"""The first loss is ln V in every mode: nothing is known yet, and nothing is claimed."""

import math

import numpy as np
import pytest

from tests.models.cases import CELLS
from tinytie import RNNLM, Dropout

V = 50  # the smallest vocabulary that the rule is stated for


def worst(**options):
    """The largest relative distance from ln V over several seeds."""
    rng = np.random.default_rng(0)
    size = options.pop("V", V)
    x, y = rng.integers(size, size=(2, 8, 12))
    losses = [RNNLM(size, rng=seed, **options).loss(x, y)[0] for seed in range(6)]
    return max(abs(loss / math.log(size) - 1) for loss in losses)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("cell", CELLS)
class TestFirstLoss:
    @pytest.mark.parametrize(("D", "H"), [(1, 1), (2, 64), (64, 2), (64, 64)])
    def test_it_is_ln_v_at_every_width(self, cell, tied, dtype, D, H):
        assert worst(d_embed=D, d_hidden=H, cell=cell, tied=tied, dtype=dtype) < 0.05

    def test_it_is_ln_v_with_scaled_embeddings_a_projection_and_layers(self, cell, tied, dtype):
        options = {"cell": cell, "tied": tied, "dtype": dtype, "embed_scale": 8.0}
        for projection in (None, True):
            assert worst(d_embed=64, projection=projection, n_layers=3, **options) < 0.05

    def test_it_is_ln_v_with_padding_without_bias_and_for_many_words(self, cell, tied, dtype):
        options = {"cell": cell, "tied": tied, "dtype": dtype, "output_bias": False}
        assert worst(d_embed=16, padding_id=0, **options) < 0.05
        assert worst(V=5000, d_embed=16, **options) < 0.05


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("scale", [1.0, 8.0])
def test_it_is_ln_v_with_relu(tied, scale):
    for D, H in [(64, 64), (16, 64), (1, 1)]:
        options = {"activation": "relu", "tied": tied, "embed_scale": scale, "n_layers": 2}
        assert worst(d_embed=D, d_hidden=H, **options) < 0.05


def test_it_is_ln_v_under_dropout():
    model = RNNLM(V, 64, n_layers=2, dropout=Dropout(0.5, 0.5, 0.5, 0.5), rng=0)
    x, y = np.random.default_rng(0).integers(V, size=(2, 8, 12))
    assert abs(model.loss_and_grads(x, y, rng=0).loss / math.log(V) - 1) < 0.05
