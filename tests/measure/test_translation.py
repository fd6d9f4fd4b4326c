"""Translations of texts in, scores and attention maps out."""

import numpy as np
import pytest

from tinytie import Translator
from tinytie.measure.translation import (
    attention_map,
    score_translations,
    translate_texts,
    translation_loss,
)
from tinytie.text.bpe import BPE, EOS, PAD
from tinytie.text.pairs import encode_pairs, padded

PAIRS = [("one two", "un deux"), ("two", "deux"), ("three one two", "trois un deux")]
SUBWORDS = BPE.learn([text for pair in PAIRS for text in pair], 30)


@pytest.fixture
def model():
    model = Translator(SUBWORDS.vocab_size, 6, cell="lstm", padding_id=PAD, rng=0)
    rng = np.random.default_rng(0)
    for array in model.params.values():
        array[...] = rng.standard_normal(array.shape)
    return model


def test_each_text_is_translated_as_if_it_were_alone(model):
    texts = [source for source, _ in PAIRS]
    together = translate_texts(model, SUBWORDS, texts)
    for text, found in zip(texts, together, strict=True):
        (alone,) = translate_texts(model, SUBWORDS, [text])
        assert found.startswith(alone)  # in longer company it may run on for longer
    assert len(set(together)) > 1


def test_the_loss_weighs_sentences_by_their_words(model):
    encoded = encode_pairs(PAIRS, SUBWORDS)
    losses = [model.loss(padded([p.source]), padded([p.target])) for p in encoded]
    expected = np.average(losses, weights=[len(p.target) - 1 for p in encoded])
    assert translation_loss(model, encoded) == pytest.approx(expected)


def test_exact_is_the_share_of_equal_texts():
    score = score_translations(["un deux", "dix", "trois un deux"], PAIRS)
    assert score.exact == pytest.approx(2 / 3)
    assert score.bleu == 0  # not one sentence has four words
    assert score_translations(["un deux trois quatre"], [("", "un deux trois quatre")]) == (1, 100)


def test_an_attention_map_names_every_row_and_column(model):
    found = attention_map(model, SUBWORDS, "two one")
    assert found.weights.shape == (len(found.target), len(found.source))
    assert "".join(found.source) == "␣two␣one<eos>"
    assert SUBWORDS.spell(EOS) == found.source[-1]
    np.testing.assert_allclose(found.weights.sum(axis=1), 1)
