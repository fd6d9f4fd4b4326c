"""Scores under other programs' names: against their equations written again, and back."""

import math

import numpy as np
import pytest

from tests.interchange import twins
from tests.interchange.twins import shaken
from tinytie import RNNLM, FeedForwardLM, TransformerLM, from_torch, to_torch

V, x = 9, np.array([[3, 1, 4, 1, 5]])
SMALL = {"n_heads": 2, "n_layers": 2, "max_len": 6, "d_ff": 5}
GPT2 = {"norm": "pre", "final_norm": True, "activation": "gelu"}
RECURRENT = {
    "rnn": {}, "rnn, relu": {"activation": "relu"}, "rnn, no W": {"input_matrix": False},
    "rnn, no b": {"bias": False, "output_bias": False}, "gru": {"cell": "gru", "d_hidden": 5},
    "lstm": {"cell": "lstm", "d_hidden": 5, "n_layers": 3},
}  # fmt: skip
ENCODERS = {
    "post-norm": {}, "pre-norm": {"norm": "pre", "final_norm": True, "output_bias": True},
    "gelu": {"activation": "gelu"}, "no positions": {"positions": "none"},
}  # fmt: skip
TOLD = ("n_heads", "max_len", "norm", "activation", "positions")  # what no array says


def agree(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def scores(model):
    return model.logits(x)[0][0]


def head(names, h):
    """Tied or untied, with what an nn.Linear and a projection would do."""
    o = h @ names["P"].T + names["p"] if "P" in names else h
    E_in, E_out = (names.get(name, names.get("E")) for name in ("E_in", "E_out"))
    return E_in, o @ E_out.T + names.get("c", 0)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("options", RECURRENT.values(), ids=RECURRENT)
def test_a_recurrent_model_scores_the_same_there_and_comes_back(options, tied):
    model = shaken(RNNLM(V, 4, tied=tied, rng=0, **options))
    names = to_torch(model)
    e = names.get("E_in", names.get("E"))[x[0]]
    body = {name: a for name, a in names.items() if "_l" in name}
    f = twins.relu if model.activation == "relu" else np.tanh
    agree(scores(model), head(names, twins.recurrent(body, e, model.cell, f))[1])
    again = from_torch(names, activation=model.activation)
    np.testing.assert_array_equal(scores(again), scores(model))
    assert again.tied == tied and again.dtype == model.dtype


@pytest.mark.parametrize("options", ENCODERS.values(), ids=ENCODERS)
def test_an_encoder_scores_the_same_there_and_comes_back(options):
    model = shaken(TransformerLM(V, 4, **SMALL | options, rng=0))
    names = to_torch(model)
    e = names["E"][x[0]] + (names["pos"][: x.size] if "pos" in names else 0)
    body = {name: a for name, a in names.items() if "." in name}
    f = twins.gelu if model.activation == "gelu" else twins.relu
    h = twins.encoder(body, e, model.n_heads, model.norm == "pre", f)
    agree(scores(model), head(names, h)[1])
    again = from_torch(names, **{name: getattr(model, name) for name in TOLD})
    assert again.config == model.config
    np.testing.assert_array_equal(scores(again), scores(model))


@pytest.mark.parametrize("tied", [True, False])
def test_a_gpt2_scores_the_same_there_and_comes_back(tied):
    model = shaken(TransformerLM(V, 4, **SMALL | GPT2, tied=tied, rng=0))
    names = to_torch(model, names="gpt2")
    assert ("lm_head.weight" in names) is not tied
    if tied:
        bare = {name.removeprefix("transformer."): a for name, a in names.items()}
        agree(scores(model), twins.gpt2(bare, x[0], 2))
    again = from_torch(names, n_heads=2)
    assert again.config == model.config
    np.testing.assert_array_equal(scores(again), scores(model))


def test_a_gpt2_from_elsewhere_may_hold_masks_and_its_matrix_twice():
    names = to_torch(shaken(TransformerLM(V, 4, **SMALL | GPT2, rng=0)), names="gpt2")
    more = {"transformer.h.0.attn.bias": np.ones((1, 1, 6, 6)),
            "lm_head.weight": names["transformer.wte.weight"].copy()}  # fmt: skip
    model = from_torch(names | more, n_heads=2)
    assert model.tied and model.embedding_names == ("E",)


def gru_with_b_hn(size=0.3):
    names = to_torch(shaken(RNNLM(V, 4, cell="gru", rng=0)))
    b_hn = names["bias_hh_l0"][8:]
    b_hn[...] = np.random.default_rng(2).uniform(-size, size, 4)
    return names, b_hn


def test_two_biases_are_one_but_for_the_one_inside_the_reset_gate():
    names, b_hn = gru_with_b_hn()
    names["bias_hh_l0"][:8] = 0.25
    with pytest.raises(ValueError, match=rf"b_hn, up to {abs(b_hn).max():.3g}.*nearest=True"):
        from_torch(names)
    b_hn[...] = 0
    theirs = twins.recurrent({n: names[n] for n in names if "_l" in n}, names["E"][x[0]], "gru")
    agree(scores(from_torch(names)), head(names, theirs)[1])


def test_the_nearest_gru_is_within_the_bound_that_is_named():
    names, b_hn = gru_with_b_hn()
    names["weight_hh_l0"][:] = 0  # so that a step's n is all that can differ
    body = {n: names[n] for n in names if "_l" in n}
    ours = to_torch(from_torch(names, nearest=True))
    apart = [twins.recurrent(some, names["E"][x[0, :1]], "gru")[0] for some in (body, ours)]
    moved = np.abs(apart[0] - apart[1])
    assert (moved > 0).all() and (moved <= np.abs(b_hn) / 2).all()


def test_other_names_are_said_and_pytorchs_own_example_is_known():
    model = shaken(RNNLM(V, 4, cell="lstm", rng=0))
    names = to_torch(model)
    E, c = names.pop("E"), names.pop("c")
    rnn = {f"rnn.{name}": array for name, array in names.items()}
    example = rnn | {"encoder.weight": E, "decoder.weight": E, "decoder.bias": c}
    own = rnn | {"emb": E, "out.bias": c}
    for again in (from_torch(example), from_torch(own, called={"emb": "E", "out.bias": "c"})):
        assert again.config == model.config
        np.testing.assert_array_equal(scores(again), scores(model))


def test_two_equal_matrices_are_tied_only_where_that_is_said():
    names = to_torch(shaken(RNNLM(V, 4, rng=0)))
    names["E_in"] = names.pop("E")
    twice = names | {"E_out": names["E_in"].copy()}
    assert not from_torch(twice).tied and from_torch(twice, tied=True).tied
    assert from_torch(names | {"E_out": names["E_in"]}).tied  # one memory
    assert from_torch(names, tied=True).tied
    twice["E_out"][0, 0] += 1
    with pytest.raises(ValueError, match="E_in and E_out differ"):
        from_torch(twice, tied=True)


def test_nothing_is_shared_and_half_precision_is_widened():
    names = to_torch(shaken(RNNLM(V, 4, rng=0)))
    half = {name: array.astype(np.float16) for name, array in names.items()}
    assert from_torch(half).dtype == np.float32
    model = from_torch(names)
    for array in names.values():
        array += 1
    assert not any((array == names.get(name)).all() for name, array in model.params.items())
    before = {name: array.copy() for name, array in model.params.items()}
    for array in to_torch(model).values():
        array[...] = 0
    for name, array in model.params.items():
        np.testing.assert_array_equal(array, before[name])


def lstm(**changes):
    names = to_torch(RNNLM(V, 4, 5, cell="lstm", n_layers=2, rng=0)) | changes
    return {name: array for name, array in names.items() if array is not None}


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        ({}, {}, "must be one of nn.RNN"),
        (lstm(E=None), {}, "no token matrix"),
        (lstm(E=None, E_in=np.ones((V, 4))), {}, "tied=True it serves both"),
        (lstm(weight_hh_l1=None), {}, "weight_hh_l1 is missing"),
        (lstm(weight_ih_l0_reverse=np.ones((20, 4))), {}, "backwards"),
        (lstm(weight_hr_l0=np.ones((4, 5))), {}, "projected"),
        (lstm(other=np.ones(3)), {}, "'other'.*has no place"),
        (lstm(c=np.ones(V, complex)), {}, "c must hold real numbers"),
        (lstm(c=np.ones(V + 1)), {}, "shape"),
        (lstm(P=None, p=None), {}, "d_embed is 4 but d_hidden is 5"),
        (to_torch(TransformerLM(V, 4, **SMALL, rng=0)), {}, "no array tells n_heads"),
        (to_torch(TransformerLM(V, 4, **SMALL, rng=0)), {"n_heads": 3}, "multiple of n_heads"),
    ],
)  # fmt: skip
def test_what_makes_no_model_is_refused_in_one_sentence(names, options, message):
    with pytest.raises((ValueError, TypeError), match=message) as refused:
        from_torch(names, **options)
    assert "\n" not in str(refused.value)


def test_what_has_no_counterpart_is_refused():
    with pytest.raises(ValueError, match="FeedForwardLM has no counterpart"):
        to_torch(FeedForwardLM(V, 4, window=2, rng=0))
    with pytest.raises(ValueError, match="GPT-2 has no norm='post'"):
        to_torch(TransformerLM(V, 4, **SMALL, rng=0), names="gpt2")


def test_the_two_forms_of_gelu_are_as_near_as_is_said():
    a = np.linspace(-8, 8, 40_001)
    exact = np.array([value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in a])
    assert 0.0004 < np.abs(exact - twins.gelu(a)).max() < 0.0005
