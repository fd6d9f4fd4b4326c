"""The Transformer as one of the models: options, dropout, what it keeps, and what it refuses."""

import itertools
import math

import numpy as np
import pytest

import tinytie
from tinytie import RNNLM, TransformerLM, resize_vocabulary, tie_weights, untie_weights
from tinytie.measure.perplexity import predict

V, D = 7, 6
X = np.array([[1, 2, 4, 1], [1, 3, 0, 2]])
Y = np.array([[2, 4, 1, 5], [3, 0, 2, 6]])


def build(**options):
    return TransformerLM(V, D, 2, 2, 5, d_ff=8, rng=0, **options)


def test_dropout_acts_only_where_it_is_asked_for_and_replays():
    model = build(dropout=0.5)
    drawn = model.loss_and_grads(X, Y, rng=3)
    assert drawn.loss != model.loss_and_grads(X, Y).loss == build().loss_and_grads(X, Y).loss
    replayed = model.loss_and_grads(X, Y, masks=drawn.masks)
    assert replayed.loss == drawn.loss
    assert model.loss(X, Y, masks=drawn.masks)[0] == pytest.approx(drawn.loss, rel=1e-14)
    for name, gradient in drawn.grads.items():
        np.testing.assert_array_equal(replayed.grads[name], gradient)
    assert model.loss_and_grads(X, Y, rng=3).loss == drawn.loss


def test_there_is_a_mask_on_the_embedding_and_two_in_each_block():
    masks = build(dropout=0.5).loss_and_grads(X, Y, rng=3).masks
    drawn = [masks.embedding, *itertools.chain(*masks.blocks)]
    assert [mask.shape for mask in drawn] == [(2, 4, D)] * 5
    assert len({mask.tobytes() for mask in drawn}) == 5
    assert {value for mask in drawn for value in np.unique(mask)} == {0.0, 2.0}


def test_an_edit_in_place_and_a_new_array_both_count():
    model = build()
    losses = [model.loss(X, Y)[0]]
    model.params["block0.Wo"][0, 0] += 1
    losses.append(model.loss(X, Y)[0])
    model.params["block0.Wo"] = 2 * model.params["block0.Wo"]
    losses.append(model.loss(X, Y)[0])
    assert len(set(losses)) == 3


def test_a_call_twice_gives_the_same_and_changes_no_parameter():
    model = build(dropout=0.3)
    before = {name: array.copy() for name, array in model.params.items()}
    first, second = model.loss_and_grads(X, Y, rng=0), model.loss_and_grads(X, Y, rng=0)
    for name, array in model.params.items():
        np.testing.assert_array_equal(array, before[name])
        np.testing.assert_array_equal(first.grads[name], second.grads[name])
        assert not np.shares_memory(first.grads[name], array)


def test_the_config_builds_the_same_kind_of_model():
    model = TransformerLM(V, D, 3, 2, 5, norm="pre", activation="gelu", dropout=0.1)
    assert model.config["d_ff"] == 4 * D
    again = TransformerLM(**model.config)
    assert again.config == model.config
    assert again.shapes == model.shapes
    assert (model.frozen, model.padding_id, model.initial_state(3)) == ({}, None, None)


def test_tied_and_untied_convert_into_each_other():
    model = build()
    again = tie_weights(untie_weights(model))
    assert again.loss(X, Y) == model.loss(X, Y)
    assert again.params.keys() == model.params.keys()


@pytest.mark.parametrize("tied", [True, False])
def test_a_checkpoint_brings_it_back(tied, tmp_path):
    model = build(tied=tied, norm="pre", final_norm=True, dropout=0.1, output_bias=True)
    tinytie.save(tmp_path / "model.safetensors", model)
    again = tinytie.load(tmp_path / "model.safetensors")
    assert type(again) is TransformerLM
    assert again.config == model.config
    assert again.loss(X, Y) == model.loss(X, Y)


def test_a_larger_vocabulary_keeps_the_rows_and_the_body():
    model = build()
    larger = resize_vocabulary(model, V + 2, rng=0)
    assert larger.params["E"].shape == (V + 2, D)
    np.testing.assert_array_equal(larger.logits(X)[0][..., :V], model.logits(X)[0])


def test_a_text_longer_than_max_len_is_predicted_piece_by_piece():
    model, stream = build(), np.arange(12) % V
    pieces = [slice(0, 5), slice(5, 10), slice(10, 11)]
    nats = sum(
        model.loss(stream[:-1][None, piece], stream[1:][None, piece])[0] * len(stream[:-1][piece])
        for piece in pieces
    )
    assert predict(model, stream).tokens == 11
    assert predict(model, stream).nats == pytest.approx(nats, rel=1e-14)


def test_the_same_seed_draws_the_same_parameters():
    one, two, other = (TransformerLM(V, D, 2, 1, 5, rng=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.params["block0.Wo"], two.params["block0.Wo"])
    assert (one.params["block0.Wo"] != other.params["block0.Wo"]).all()


@pytest.mark.parametrize("call", ["loss", "loss_and_grads", "logits"])
def test_a_sentence_longer_than_max_len_is_refused(call):
    long = np.zeros((2, 6), int)
    arguments = (long,) if call == "logits" else (long, long)
    with pytest.raises(ValueError, match="6 tokens in a row are more than max_len, which is 5"):
        getattr(build(), call)(*arguments)


@pytest.mark.parametrize("call", ["loss", "loss_and_grads"])
def test_a_state_is_refused(call):
    with pytest.raises(ValueError, match=r"carries no state .* leave state=None"):
        getattr(build(), call)(X, Y, (np.zeros((2, D)),))
    with pytest.raises(ValueError, match="leave state=None"):
        build().logits(X, np.zeros((2, D)))
    with pytest.raises(ValueError, match="batch_size must be at least 1, got 0"):
        build().initial_state(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_heads": 4}, "d_model must be a multiple of n_heads, got d_model=6 and n_heads=4"),
        ({"n_heads": 0}, "n_heads must be at least 1"),
        ({"max_len": 0}, "max_len must be at least 1"),
        ({"vocab_size": 1}, "vocab_size must be at least 2"),
        ({"d_ff": 0}, "d_ff must be at least 1"),
        ({"norm": "middle"}, "norm must be one of 'post', 'pre'; got 'middle'"),
        ({"positions": "rotary"}, "positions must be one of 'learned', 'sinusoidal'"),
        ({"activation": "tanh"}, "activation must be one of 'relu', 'gelu'"),
        ({"dropout": 1.0}, r"dropout must be in \[0, 1\), got 1.0"),
        ({"dropout": (0.1, 0.2)}, "dropout must be a finite number"),
        ({"embed_scale": math.inf}, "embed_scale must be a finite number"),
        ({"dtype": np.float16}, "dtype must be float32 or float64"),
    ],
)
def test_options_that_do_not_fit_are_one_sentence(options, message):
    sizes = {"vocab_size": V, "d_model": D, "n_heads": 2, "n_layers": 1, "max_len": 5}
    with pytest.raises(ValueError, match=message):
        TransformerLM(**sizes | options)


@pytest.mark.parametrize("name", ["tied", "final_norm", "output_bias"])
def test_a_word_is_no_flag(name):
    with pytest.raises(TypeError, match=f"{name} must be True or False, got 'no'"):
        build(**{name: "no"})


def test_masks_that_do_not_fit_are_refused():
    model = build(dropout=0.5)
    masks = model.loss_and_grads(X, Y, rng=0).masks
    with pytest.raises(TypeError, match="masks must be the TransformerMasks"):
        model.loss(X, Y, masks=RNNLM(V, D).loss_and_grads(X, Y).masks)
    with pytest.raises(ValueError, match=r"a mask must have shape \(1, 4, 6\), got \(2, 4, 6\)"):
        model.loss(X[:1], Y[:1], masks=masks)
    with pytest.raises(TypeError, match="of a model with as many layers"):
        model.loss(X, Y, masks=masks._replace(blocks=masks.blocks[:1]))
