"""The Transformer: its parameters, its first loss, its loss and its gradients."""

import itertools
import math

import numpy as np
import pytest

from tinytie import TransformerLM, check_model, untie_weights
from tinytie.models.transformer_block import Block

V, D = 7, 6
X = np.array([[1, 2, 4, 1], [1, 3, 0, 2]])
Y = np.array([[2, 4, 1, 5], [3, 0, 2, 6]])


def build(rng=0, **options):
    """A small model whose gains, shifts and biases are not at their first values."""
    model = TransformerLM(V, D, 2, 2, 5, **{"d_ff": 8, "rng": 0} | options)
    noise = np.random.default_rng(rng)
    for array in model.params.values():
        array += (0.3 * noise.standard_normal(array.shape)).astype(array.dtype)
    return model


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
    model = TransformerLM(1000, d, 4, 2, 64)
    block = 3 * d * d + 3 * d + d * d + d + 2 * d + 4 * d * d + 4 * d + 4 * d * d + d + 2 * d
    parts = {"E": 1000 * d, "pos": 64 * d, "block0": block, "block1": block}
    assert parts == {"E": 128_000, "pos": 8_192, "block0": 198_272, "block1": 198_272}
    counted = {
        part: sum(a.size for name, a in model.params.items() if name.split(".")[0] == part)
        for part in parts
    }
    assert counted == parts
    assert sum(array.size for array in model.params.values()) == 532_736


def test_names_and_shapes():
    model = TransformerLM(V, D, 2, 1, 5, final_norm=True, output_bias=True, tied=False)
    assert {name: array.shape for name, array in model.params.items()} == {
        "E_in": (V, D), "E_out": (V, D), "pos": (5, D),
        "block0.Wqkv": (18, D), "block0.bqkv": (18,), "block0.Wo": (D, D), "block0.bo": (D,),
        "block0.gain1": (D,), "block0.shift1": (D,), "block0.W1": (24, D), "block0.b1": (24,),
        "block0.W2": (D, 24), "block0.b2": (D,), "block0.gain2": (D,), "block0.shift2": (D,),
        "final.gain": (D,), "final.shift": (D,), "c": (V,),
    }  # fmt: skip


MODES = [
    dict(zip(("norm", "final_norm", "positions", "tied", "embed_scale"), values, strict=True))
    for values in itertools.product(
        ("post", "pre"), (False, True), ("learned", "sinusoidal"), (True, False), (1.0, 8.0)
    )
]


@pytest.mark.parametrize("options", MODES, ids=lambda o: " ".join(map(str, o.values())))
def test_the_first_loss_is_within_5_percent_of_ln_V(options):
    model = TransformerLM(50, 64, 4, 2, 16, rng=0, **options)
    x, y = np.random.default_rng(1).integers(50, size=(2, 8, 16))
    assert model.loss(x, y)[0] == pytest.approx(math.log(50), rel=0.05)


@pytest.mark.parametrize("d_model", [8, 512])
def test_the_first_loss_is_near_ln_V_at_any_width(d_model):
    model = TransformerLM(50, d_model, 4, 1, 16, embed_scale=math.sqrt(d_model), rng=0)
    x, y = np.random.default_rng(1).integers(50, size=(2, 8, 16))
    assert model.loss(x, y)[0] == pytest.approx(math.log(50), rel=0.05)


CONFIGURATIONS = [
    {},
    {"norm": "pre", "final_norm": True, "activation": "gelu"},
    {"norm": "pre", "positions": "sinusoidal", "embed_scale": math.sqrt(D), "output_bias": True},
    {"final_norm": True, "positions": "sinusoidal", "activation": "gelu", "tied": False},
    {"norm": "pre", "tied": False, "output_bias": True, "embed_scale": -0.7},
    {"activation": "gelu", "dropout": 0.3},
    {"norm": "pre", "activation": "gelu", "dropout": 0.4, "final_norm": True, "tied": False},
]
configured = pytest.mark.parametrize("options", CONFIGURATIONS, ids=str)


@configured
def test_check_model_passes(options):
    report = check_model(build(**options), X, Y)
    assert report.verdict == "PASS", str(report)


@configured
def test_the_tied_gradient_is_the_sum_of_the_two_paths(options):
    tied = build(**options | {"tied": True, "dropout": 0.0})
    result, twin = tied.loss_and_grads(X, Y), untie_weights(tied).loss_and_grads(X, Y)
    np.testing.assert_array_equal(result.grads["E"], sum(result.embedding_paths))
    np.testing.assert_array_equal(result.embedding_paths.input, twin.grads["E_in"])
    np.testing.assert_array_equal(result.embedding_paths.output, twin.grads["E_out"])
    assert result.loss == twin.loss


@configured
def test_a_later_word_changes_nothing_before_it_to_the_bit(options):
    model, changed = build(**options), X.copy()
    changed[:, 2:] = (changed[:, 2:] + 1) % V
    before, after = model.logits(X)[0], model.logits(changed)[0]
    np.testing.assert_array_equal(after[:, :2], before[:, :2])
    assert (after[:, 2:] != before[:, 2:]).all()


def test_without_paths_the_gradients_are_the_same():
    model = build()
    whole, lean = model.loss_and_grads(X, Y), model.loss_and_grads(X, Y, paths=False)
    assert lean.embedding_paths is None
    for name, gradient in whole.grads.items():
        np.testing.assert_allclose(lean.grads[name], gradient, rtol=1e-14, atol=1e-16)


def test_the_loss_is_the_cross_entropy_of_the_logits():
    model = build(output_bias=True)
    scores, state = model.logits(X)
    likely = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    expected = -np.log(np.take_along_axis(likely, Y[..., None], axis=-1)).mean()
    assert model.loss(X, Y)[0] == pytest.approx(expected, rel=1e-13)
    assert state is None


def test_scores_in_chunks_give_the_same_gradients():
    model = build()
    whole = model.loss_and_grads(X, Y)
    model.max_score_bytes = 1
    chunked = model.loss_and_grads(X, Y)
    assert chunked.loss == pytest.approx(whole.loss, rel=1e-14)
    for name, gradient in whole.grads.items():
        np.testing.assert_allclose(chunked.grads[name], gradient, rtol=0, atol=1e-14)


def test_renaming_the_words_permutes_the_rows_of_the_gradient():
    model = build()
    before = model.loss_and_grads(X, Y)
    new_name = np.random.default_rng(0).permutation(V)
    model.params["E"] = model.params["E"][np.argsort(new_name)]
    after = model.loss_and_grads(new_name[X], new_name[Y])
    assert after.loss == pytest.approx(before.loss, rel=1e-14)
    np.testing.assert_allclose(after.grads["E"][new_name], before.grads["E"], atol=1e-14)


def test_places_beyond_the_sentence_get_no_gradient():
    dpos = build().loss_and_grads(X, Y).grads["pos"]
    assert dpos[:4].all()
    assert not dpos[4:].any()


def test_embed_scale_multiplies_the_lookup_and_not_the_scores():
    scaled = build(tied=False, embed_scale=3.0)
    plain = build(tied=False)
    plain.params["E_in"] *= 3
    np.testing.assert_allclose(scaled.logits(X)[0], plain.logits(X)[0], rtol=1e-13, atol=1e-13)


def test_float32_stays_float32_and_is_near_the_float64_gradient():
    model = build(dropout=0.2, norm="pre", final_norm=True, activation="gelu")
    exact = model.loss_and_grads(X, Y, rng=0)
    small = model.astype(np.float32)
    result = small.loss_and_grads(X, Y, masks=exact.masks)
    arrays = [*result.grads.values(), *result.embedding_paths, small.logits(X)[0]]
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}
    assert {a.dtype for a in small.loss_and_grads(X, Y, rng=0).grads.values()} == {arrays[0].dtype}
    for name, gradient in exact.grads.items():
        error = np.abs(result.grads[name] - gradient).max()
        assert error <= 1e-4 * np.abs(gradient).max() + 1e-7, name


@pytest.mark.parametrize("B, T", [(1, 1), (1, 5), (3, 1)])
def test_the_smallest_batches_pass_too(B, T):
    x, y = np.random.default_rng(0).integers(V, size=(2, B, T))
    report = check_model(build(activation="gelu"), x, y)
    assert "FAIL" not in {row.verdict for row in report.rows}, str(report)
