"""Planted bugs: each wrong translator is rejected, by the parameter that it spoils."""

import numpy as np
import pytest

from tinytie import Translator, check_gradients
from tinytie.models import encoder_decoder
from tinytie.ops import attend
from tinytie.ops.softmax import softmax

PAD = 0
SOURCE = np.array([[3, 3, 4, PAD], [5, 6, 7, 8]])
TARGET = np.array([[1, 4, 4, 2, PAD], [1, 3, 5, 6, 2]])


def drawn(kind=Translator):
    model = kind(9, 4, 3, padding_id=PAD, rng=0)
    rng = np.random.default_rng(0)
    for array in model.params.values():
        array[...] = 0.6 * rng.standard_normal(array.shape)
    return model


def failing(model):
    grads = model.loss_and_grads(SOURCE, TARGET).grads
    report = check_gradients(lambda _: model.loss(SOURCE, TARGET), model.params, grads)
    return {row.name for row in report.rows if row.verdict == "FAIL"}


def weighted(*factors):
    """A translator that adds its three contributions with these factors instead of 1, 1, 1."""

    class Wrong(Translator):
        def _embedding_gradients(self, *three):
            return {"E": sum(factor * path for factor, path in zip(factors, three, strict=True))}

    return Wrong


def test_the_right_translator_passes():
    assert failing(drawn()) == set()
    assert failing(drawn(weighted(1, 1, 1))) == set()


@pytest.mark.parametrize("factor", [0, 2], ids=["missing", "added twice"])
@pytest.mark.parametrize("path", [0, 1, 2], ids=["encoder", "decoder", "output"])
def test_a_contribution_missing_or_added_twice_fails_in_e_alone(path, factor):
    factors = [1, 1, 1]
    factors[path] = factor
    assert failing(drawn(weighted(*factors))) == {"E"}


def roles(dk, cache, value=1, key=1, steps=slice(None)):
    """The gradient of the attention with some of what its encoder states collect left out."""
    dd, _ = attend.attend_backward(dk, cache)
    d, h, weights = cache
    dweights = dk @ h.swapaxes(1, 2)
    ds = weights * (dweights - (weights * dweights).sum(axis=-1, keepdims=True))
    as_value = weights[:, steps].swapaxes(1, 2) @ dk[:, steps]
    as_key = ds[:, steps].swapaxes(1, 2) @ d[:, steps]
    return dd, value * as_value + key * as_key


def without_row_sum(dk, cache):
    d, h, weights = cache
    ds = weights * (dk @ h.swapaxes(1, 2))
    return ds @ h, weights.swapaxes(1, 2) @ dk + ds.swapaxes(1, 2) @ d


ENCODER = {"E", "encoder.W", "encoder.U", "encoder.b"}
DECODER = {"decoder.W", "decoder.U", "decoder.b"}
WRONG_ATTENTION = {
    "only the last decoder step": (lambda *a: roles(*a, steps=slice(-1, None)), ENCODER),
    "only the first decoder step": (lambda *a: roles(*a, steps=slice(0, 1)), ENCODER),
    "lost as a key": (lambda *a: roles(*a, key=0), ENCODER),
    "lost as a value": (lambda *a: roles(*a, value=0), ENCODER),
    "softmax without its row sum": (without_row_sum, ENCODER | DECODER),
}


@pytest.mark.parametrize("bug", WRONG_ATTENTION)
def test_a_wrong_attention_fails_in_what_lies_below_it(monkeypatch, bug):
    wrong, expected = WRONG_ATTENTION[bug]
    monkeypatch.setattr(encoder_decoder, "attend_backward", wrong)
    assert failing(drawn()) == expected


def test_the_copied_roles_are_the_right_attention_where_nothing_is_left_out(monkeypatch):
    monkeypatch.setattr(encoder_decoder, "attend_backward", roles)
    assert failing(drawn()) == set()


def masked_after_softmax(d, h, valid):
    weights = softmax(d @ h.swapaxes(1, 2)) * valid[:, None]
    return weights @ h, attend.AttendCache(d, h, weights)


def test_a_mask_after_the_softmax_fails(monkeypatch):
    monkeypatch.setattr(encoder_decoder, "attend_forward", masked_after_softmax)
    assert failing(drawn()) >= ENCODER


def test_the_handed_over_state_forgotten_fails_in_the_encoder(monkeypatch):
    lost = lambda dlast, cache: 0
    monkeypatch.setattr(encoder_decoder, "last_valid_backward", lost)
    assert failing(drawn()) == ENCODER


def last_column(h, valid):
    return attend.last_valid_forward(h, np.ones_like(valid))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("attend_forward", masked_after_softmax), ("last_valid_forward", last_column)],
)
def test_an_encoder_that_reads_padding_is_caught_by_longer_padding(monkeypatch, name, wrong):
    model = drawn()
    longer = np.pad(SOURCE, ((0, 0), (0, 2)))
    assert model.loss(longer, TARGET) == pytest.approx(model.loss(SOURCE, TARGET), rel=1e-13)
    monkeypatch.setattr(encoder_decoder, name, wrong)
    assert model.loss(longer, TARGET) != pytest.approx(model.loss(SOURCE, TARGET), rel=1e-6)
