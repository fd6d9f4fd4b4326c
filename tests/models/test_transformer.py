"""The Transformer: its loss as the paper writes it, its parameters, what it keeps and refuses."""

import itertools
import math

import numpy as np
import pytest

from tests.models.cases import case
from tinytie import RNNLM, TransformerLM
from tinytie.measure.perplexity import predict
from tinytie.models.transformer_block import Block

V, D = 7, 6
X = np.array([[1, 2, 4, 1], [1, 3, 0, 2]])
Y = np.array([[2, 4, 1, 5], [3, 0, 2, 6]])


def build(**options):
    """A small model with every entry drawn, the gains, shifts and biases too."""
    sizes = {"d_model": D, "n_heads": 2, "n_layers": 2, "max_len": 5, "d_ff": 8}
    return case(make=TransformerLM, V=V, **sizes | options).model


def layernorm(x, gain, shift):
    return gain * (x - x.mean()) / math.sqrt(x.var() + 1e-5) + shift


def paper_loss(model, x, y):
    """Post-norm with relu as the paper writes it, one vector at a time: no operation is shared."""
    p, d_k = model.params, D // model.n_heads
    losses = []
    for sentence, targets in zip(x, y, strict=True):
        h = [p["E"][word] + p["pos"][t] for t, word in enumerate(sentence)]
        for layer in range(model.n_layers):
            w = {name: p[f"block{layer}.{name}"] for name in Block._fields}
            q, k, v = (
                [W @ vector + b for vector in h]
                for W, b in zip(np.split(w["Wqkv"], 3), np.split(w["bqkv"], 3), strict=True)
            )
            for t in range(len(h)):
                heads = []
                for part in (slice(i, i + d_k) for i in range(0, D, d_k)):
                    exp = [math.exp(q[t][part] @ k[s][part] / d_k**0.5) for s in range(t + 1)]
                    heads += list(sum(e * v[s][part] for s, e in enumerate(exp)) / sum(exp))
                a = w["Wo"] @ np.array(heads) + w["bo"]
                n = layernorm(h[t] + a, w["gain1"], w["shift1"])
                f = w["W2"] @ np.maximum(w["W1"] @ n + w["b1"], 0) + w["b2"]
                h[t] = layernorm(n + f, w["gain2"], w["shift2"])
        for vector, target in zip(h, targets, strict=True):
            scores = p["E"] @ vector
            losses.append(math.log(np.exp(scores).sum()) - scores[target])
    return sum(losses) / len(losses)


def test_the_loss_is_the_papers_one_vector_at_a_time():
    model = build()
    assert model.loss(X, Y)[0] == pytest.approx(paper_loss(model, X, Y), rel=1e-13)


def test_532736_parameters_by_part():
    d = 128
    model = TransformerLM.sketch(1000, d, 4, 2, 64)
    block = 3 * d * d + 3 * d + d * d + d + 2 * d + 4 * d * d + 4 * d + 4 * d * d + d + 2 * d
    parts = {"E": 1000 * d, "pos": 64 * d, "block0": block, "block1": block}
    assert parts == {"E": 128_000, "pos": 8_192, "block0": 198_272, "block1": 198_272}
    counted = {
        part: sum(math.prod(s) for name, s in model.shapes.items() if name.split(".")[0] == part)
        for part in parts
    }
    assert counted == parts
    assert sum(math.prod(shape) for shape in model.shapes.values()) == 532_736


def test_names_and_shapes():
    model = TransformerLM(V, D, 2, 1, 5, final_norm=True, output_bias=True, tied=False)
    assert {name: array.shape for name, array in model.params.items()} == {
        "E_in": (V, D), "E_out": (V, D), "pos": (5, D),
        "block0.Wqkv": (18, D), "block0.bqkv": (18,), "block0.Wo": (D, D), "block0.bo": (D,),
        "block0.gain1": (D,), "block0.shift1": (D,), "block0.W1": (24, D), "block0.b1": (24,),
        "block0.W2": (D, 24), "block0.b2": (D,), "block0.gain2": (D,), "block0.shift2": (D,),
        "final.gain": (D,), "final.shift": (D,), "c": (V,),
    }  # fmt: skip
    assert (model.d_ff, model.frozen, model.initial_state(3)) == (24, {}, None)


def test_places_beyond_the_sentence_get_no_gradient():
    dpos = build().loss_and_grads(X, Y).grads["pos"]
    assert dpos[:4].all()
    assert not dpos[4:].any()


def test_there_is_a_mask_on_the_embedding_and_two_in_each_block():
    masks = build(dropout=0.5).loss_and_grads(X, Y, rng=3).masks
    drawn = [masks.embedding, *itertools.chain(*masks.blocks)]
    assert [mask.shape for mask in drawn] == [(2, 4, D)] * 5
    assert len({mask.tobytes() for mask in drawn}) == 5
    assert {value for mask in drawn for value in np.unique(mask)} == {0.0, 2.0}


def test_a_text_longer_than_max_len_is_predicted_piece_by_piece():
    model, stream = build(), np.arange(12) % V
    pieces = [slice(0, 5), slice(5, 10), slice(10, 11)]
    nats = sum(
        model.loss(stream[:-1][None, piece], stream[1:][None, piece])[0] * len(stream[:-1][piece])
        for piece in pieces
    )
    assert predict(model, stream).tokens == 11
    assert predict(model, stream).nats == pytest.approx(nats, rel=1e-14)


def test_more_words_than_max_len_are_refused_at_once_and_one_by_one():
    model, long = build(), np.zeros((2, 6), int)
    for call in (model.loss, model.loss_and_grads, lambda x, _: model.logits(x)):
        with pytest.raises(ValueError, match="6 tokens in a row are more than max_len, which is 5"):
            call(long, long)
    assert model.context == 5
    memory = model.start(2)
    for t in range(5):
        _, memory = model.step(long[:, t], memory)
    with pytest.raises(ValueError, match="6 tokens in a row are more than max_len, which is 5"):
        model.step(long[:, 5], memory)


def test_a_state_is_refused():
    model = build()
    for call in (model.loss, model.loss_and_grads, lambda x, _, state: model.logits(x, state)):
        with pytest.raises(ValueError, match=r"carries no state .* leave state=None"):
            call(X, Y, (np.zeros((2, D)),))
    with pytest.raises(ValueError, match="batch_size must be at least 1, got 0"):
        model.initial_state(0)


@pytest.mark.parametrize("wrong", [(), "text", (np.zeros((2, 6)),) * 2, None])
def test_a_memory_from_elsewhere_or_of_another_dtype_is_refused(wrong):
    model = build()
    with pytest.raises(ValueError, match=r"memory must be what start\(2\) or the step before"):
        model.step(X[:, 0], wrong)
    with pytest.raises(ValueError, match="and dtype float32 for each of the 2 blocks"):
        model.astype(np.float32).step(X[:, 0], model.start(2))


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
        TransformerLM(V, D, 2, 2, 5, **{name: "no"})


def test_masks_that_do_not_fit_are_refused():
    model = build(dropout=0.5)
    masks = model.loss_and_grads(X, Y, rng=0).masks
    with pytest.raises(TypeError, match="masks must be the TransformerMasks"):
        model.loss(X, Y, masks=RNNLM(V, D).loss_and_grads(X, Y).masks)
    with pytest.raises(ValueError, match=r"a mask must have shape \(1, 4, 6\), got \(2, 4, 6\)"):
        model.loss(X[:1], Y[:1], masks=masks)
    with pytest.raises(TypeError, match="of a model with as many layers"):
        model.loss(X, Y, masks=masks._replace(blocks=masks.blocks[:1]))
