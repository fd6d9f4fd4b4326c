"""Wrong Transformers, one mistake each: the check that a student runs must name the parameter."""

import numpy as np
import pytest

from tinytie import TransformerLM, check_gradients, check_model, check_operation
from tinytie.models import transformer_block
from tinytie.ops import attention, layernorm
from tinytie.ops.registry import OPERATIONS, Sizes

SIZES = Sizes(B=2, T=3, V=7, D=4, H=5)
X = np.array([[1, 2, 1], [1, 3, 0]])
Y = np.array([[2, 4, 5], [3, 0, 6]])


def operation(name):
    return next(op for op in OPERATIONS if op.name == name)


def model(norm):
    """Gains, shifts and biases away from their first values, which could hide a mistake."""
    model = TransformerLM(7, 4, 2, 2, 5, d_ff=3, norm=norm, activation="gelu", rng=0)
    rng = np.random.default_rng(1)
    for array in model.params.values():
        array += 0.3 * rng.standard_normal(array.shape)
    return model


def failed(report):
    return {row.name for row in report.rows if row.verdict == "FAIL"}


def failing(model):
    """The parameters that fail, without the search for a cause that `check_model` adds."""
    grads = model.loss_and_grads(X, Y).grads
    return failed(check_gradients(lambda _: model.loss(X, Y)[0], model.params, grads))


def scale_forgotten_in_dq(do, cache):
    dq, dk, dv = right_attention_backward(do, cache)
    return dq * np.sqrt(cache.k.shape[-1]), dk, dv


def scale_forgotten_in_dk(do, cache):
    dq, dk, dv = right_attention_backward(do, cache)
    return dq, dk * np.sqrt(cache.k.shape[-1]), dv


def row_sum_forgotten(do, cache):
    """ds = A ∘ dA, the softmax as if its entries did not share a sum."""
    q, k, v, A = cache
    ds = A * (do @ v.mT) / np.sqrt(k.shape[-1])
    return ds @ k, ds.mT @ q, A.mT @ do


def values_not_transposed(do, cache):
    """dv = A do: each place gets what it reads, not what others read of it."""
    dq, dk, _ = right_attention_backward(do, cache)
    return dq, dk, cache.A @ do


def mask_after_softmax(q, k, v):
    """A = softmax(q kᵀ / √d_k) with the future cut out afterwards: its rows sum to less."""
    s = q @ k.mT / np.sqrt(k.shape[-1])
    A = np.tri(s.shape[-2]) * attention.softmax(s)
    return A @ v, attention.AttentionCache(q, k, v, A)


def mean_forgotten(dy, cache):
    """dx without mean(dx̂): as if x could not move μ."""
    dx, dgain, dshift = right_layernorm_backward(dy, cache)
    mean = (cache.gain * dy).mean(axis=-1, keepdims=True)
    return dx + mean * cache.inv_std, dgain, dshift


def variance_forgotten(dy, cache):
    """dx without x̂ mean(x̂ ∘ dx̂): as if x could not move σ."""
    _, dgain, dshift = right_layernorm_backward(dy, cache)
    dx_hat = cache.gain * dy
    return (dx_hat - dx_hat.mean(axis=-1, keepdims=True)) * cache.inv_std, dgain, dshift


right_attention_backward = attention.attention_backward
right_layernorm_backward = layernorm.layernorm_backward

ATTENTION_MISTAKES = [
    (scale_forgotten_in_dq, {"q"}),
    (scale_forgotten_in_dk, {"k"}),
    (row_sum_forgotten, {"q", "k"}),
    (values_not_transposed, {"v"}),
]


@pytest.mark.parametrize(("wrong", "named"), ATTENTION_MISTAKES)
def test_a_wrong_backward_of_attention_is_named(wrong, named):
    report = check_operation(operation("attention")._replace(backward=wrong), SIZES, 0)
    assert failed(report) == named


@pytest.mark.parametrize("wrong", [wrong for wrong, _ in ATTENTION_MISTAKES])
def test_a_wrong_backward_of_attention_shows_in_the_heads_weights(wrong, monkeypatch):
    monkeypatch.setattr(attention, "attention_backward", wrong)
    assert failed(check_operation(operation("multi-head"), SIZES, 0)) >= {"x", "Wqkv"}
    named = failing(model("post"))
    assert {"block0.Wqkv", "block1.Wqkv"} <= named
    assert not named & {"block1.Wo", "block1.bo", "block1.W1", "block1.gain2"}


def test_a_mask_after_the_softmax_is_named():
    planted = operation("attention")._replace(forward=mask_after_softmax)
    assert failed(check_operation(planted, SIZES, 0)) == {"q", "k"}


def test_a_mask_after_the_softmax_is_named_in_the_model(monkeypatch):
    monkeypatch.setattr(attention, "attention_forward", mask_after_softmax)
    assert {"block0.Wqkv", "block1.Wqkv"} <= failing(model("post"))


@pytest.mark.parametrize("wrong", [mean_forgotten, variance_forgotten])
def test_a_lost_term_of_the_layer_norm_is_named(wrong, monkeypatch):
    report = check_operation(operation("layer norm")._replace(backward=wrong), SIZES, 0)
    assert failed(report) == {"x"}
    monkeypatch.setattr(transformer_block, "layernorm_backward", wrong)
    named = failing(model("post"))
    assert {"block1.W2", "block1.Wo", "block0.Wqkv", "E"} <= named
    assert not named & {"block1.gain2", "block1.shift2"}


def post_norm_residual_dropped(dx, cache):
    """x₁ hears back from the feed-forward alone, not from the sum it stayed in."""
    block = transformer_block
    dx, *dnorm2 = block.layernorm_backward(dx, cache.normed2)
    dx, *dfeed_forward = block.feed_forward_backward(dx, cache.fed)
    dx, *dnorm1 = block.layernorm_backward(dx, cache.normed1)
    dx_read, *dattention = block.multi_head_backward(dx, cache.attended)
    return dx + dx_read, block.Block(*dattention, *dnorm1, *dfeed_forward, *dnorm2)


def pre_norm_residual_dropped(dx, cache):
    """x₁ hears back from the feed-forward alone, not from the sum it stayed in."""
    block = transformer_block
    dn, *dfeed_forward = block.feed_forward_backward(dx, cache.fed)
    dx, *dnorm2 = block.layernorm_backward(dn, cache.normed2)
    dn, *dattention = block.multi_head_backward(dx, cache.attended)
    dx_read, *dnorm1 = block.layernorm_backward(dn, cache.normed1)
    return dx + dx_read, block.Block(*dattention, *dnorm1, *dfeed_forward, *dnorm2)


@pytest.mark.parametrize(
    ("norm", "wrong"),
    [("post", post_norm_residual_dropped), ("pre", pre_norm_residual_dropped)],
)
def test_a_dropped_residual_is_named(norm, wrong, monkeypatch):
    pair = transformer_block.NORMS[norm]
    monkeypatch.setitem(transformer_block.NORMS, norm, pair._replace(backward=wrong))
    named = failed(check_model(model(norm), X, Y))
    assert {"E", "E_in", "pos", "block0.Wqkv", "block0.W2", "block1.Wo"} <= named
    assert not named & {"E_out", "block1.W1", "block1.W2", "block1.gain2"}


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_right_transformer_passes(norm):
    assert failing(model(norm)) == set()
