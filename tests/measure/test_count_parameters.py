"""Counting parameters: exact constants, and the laws that hold for every model."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytie
from tinytie import RNNLM, count_parameters, tie_weights, untie_weights
from tinytie.measure.known_models import KNOWN_MODELS
from tinytie.ops.cells import CELLS

KNOWN = {model.name: model for model in KNOWN_MODELS}


@pytest.mark.parametrize(
    ("tied", "projection", "total"),
    [
        (False, None, 4_651_600),
        (True, None, 2_651_600),
        (False, True, 4_691_800),
        (True, True, 2_691_800),
    ],
)
def test_the_small_models_of_press_and_wolf_have_exactly_their_parameters(tied, projection, total):
    model = RNNLM(
        10_000, 200, cell="lstm", n_layers=2, tied=tied, projection=projection,
        dtype=np.float32, rng=0,
    )  # fmt: skip
    matrices = 2_000_000 if tied else 4_000_000
    assert count_parameters(model) == {
        "embedding": matrices,
        "other": total - matrices,
        "total": total,
        "without_tying": total + 2_000_000 * tied,
        "savings": 2_000_000 * tied,
    }


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("Press & Wolf small", 4_651_600),
        ("Press & Wolf small + WT", 2_651_600),
        ("Press & Wolf small + PR", 4_691_800),
        ("Press & Wolf small + WT + PR", 2_691_800),
        ("Press & Wolf large", 66_022_000),
        ("Press & Wolf large + WT", 51_022_000),
        ("Inan et al. 200 + RE", 2_641_600),
        ("AWD-LSTM", 24_221_600),
        ("T5 small", 60_506_624),
        ("BERT base", 109_514_298),
        ("GPT-2 small", 124_439_808),
        ("GPT-2 medium", 354_823_168),
        ("GPT-2 large", 774_030_080),
        ("GPT-2 XL", 1_557_611_200),
        ("LLaMA-7B", 6_738_415_616),
    ],
)
def test_a_known_model_has_exactly_its_published_parameters(name, total):
    assert KNOWN[name].total == total


def test_gpt2_small_keeps_31_percent_in_its_token_matrix():
    model = KNOWN["GPT-2 small"]
    assert model.matrix == model.savings == 38_597_376
    assert round(100 * model.share) == 31
    assert model.tied


def test_llama_would_save_500_mib_and_two_percent():
    model = KNOWN["LLaMA-7B"]
    assert model.matrix == model.savings == 131_072_000
    assert 4 * model.savings == 500 * 2**20
    assert round(100 * model.share, 1) == 1.9
    assert not model.tied


def test_three_way_tying_saves_two_matrices():
    assert KNOWN["T5 small"].savings == 2 * 32_128 * 512


def test_every_known_model_stands_once_and_names_its_source():
    assert len(KNOWN) == len(KNOWN_MODELS)
    assert all(model.source[-4:].isdigit() or ", " in model.source for model in KNOWN_MODELS)


@given(
    st.sampled_from([*CELLS]), st.integers(1, 3), st.sampled_from([None, True]),
    st.sampled_from([(4, 4), (4, 6), (6, 4)]), st.booleans(),
)  # fmt: skip
def test_tying_saves_one_token_matrix_and_nothing_else(cell, n_layers, projection, widths, bias):
    options = {"cell": cell, "n_layers": n_layers, "projection": projection, "output_bias": bias}
    model = RNNLM(11, *widths, tied=True, **options, rng=0)
    count = count_parameters(model)
    assert count["savings"] == count["embedding"] == 11 * widths[0]
    assert count["total"] == count["embedding"] + count["other"]
    assert count["total"] == sum(array.size for array in model.params.values())
    untied = count_parameters(untie_weights(model))
    assert untied["total"] == untied["without_tying"] == count["without_tying"]
    assert untied["other"] == count["other"]
    assert untied["savings"] == 0


def test_an_untied_model_of_two_widths_counts_both():
    count = count_parameters(RNNLM(11, 4, 6, tied=False, rng=0))
    assert count["embedding"] == 11 * 4 + 11 * 6
    assert count["savings"] == 0


def test_factorizing_below_the_hidden_width_is_smaller_still():
    """E = A B, as in ALBERT: V × D and D × H instead of V × H."""
    narrow = count_parameters(RNNLM(1000, 8, 64, rng=0))
    wide = count_parameters(RNNLM(1000, 64, rng=0))
    assert narrow["embedding"] == 8 * 1000
    assert narrow["total"] < wide["total"] / 3


def test_counting_changes_nothing_and_every_kind_of_copy_counts_the_same():
    model = RNNLM(11, 4, padding_id=2, rng=0)
    expected = count_parameters(model)
    assert model.tied
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model.astype("f4")):
        assert count_parameters(other) == expected
    assert count_parameters(tie_weights(untie_weights(model))) == expected


def test_positions_are_not_token_matrices():
    model = tinytie.TransformerLM(1000, 128, 4, 2, 64, rng=0)
    assert count_parameters(model) == {
        "embedding": 128_000,
        "other": 404_736,
        "total": 532_736,
        "without_tying": 660_736,
        "savings": 128_000,
    }


@pytest.mark.parametrize(("tying", "saved"), [("none", 0), ("decoder", 1), ("three-way", 2)])
def test_a_translator_saves_one_matrix_for_each_use_beyond_the_first(tying, saved):
    count = count_parameters(tinytie.Translator(9, 4, 5, tying=tying, rng=0))
    assert count["savings"] == saved * 9 * 4
    assert count["embedding"] == (3 - saved) * 9 * 4
