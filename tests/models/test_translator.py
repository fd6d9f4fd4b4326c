"""The translator: gradients, the four aliasing experiments, padding, decoding, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytie import Translator, check_gradients
from tinytie.gradcheck.numeric import difference
from tinytie.models.translator import TYINGS
from tinytie.ops.cells import CELLS

PAD, BOS, EOS = 0, 1, 2
V, D, H = 9, 4, 5
KINDS = [*((tying, "gru", H) for tying in TYINGS), *(("three-way", cell, D) for cell in CELLS)]
SOURCE = np.array([[3, 3, 4, PAD], [5, 6, 7, EOS], [8, PAD, PAD, PAD]])
TARGET = np.array([[BOS, 4, 4, EOS, PAD], [BOS, 3, 5, 6, EOS], [BOS, EOS, PAD, PAD, PAD]])


def drawn(tying="three-way", cell="gru", d_hidden=H, vocab_size=V, seed=0, **options):
    """A translator with every entry drawn, biases too: a zero hides a wrong gradient."""
    options = {"padding_id": PAD, "embed_scale": 1.3} | options
    model = Translator(vocab_size, D, d_hidden, tying=tying, cell=cell, rng=seed, **options)
    rng = np.random.default_rng(seed)
    for array in model.params.values():
        array[...] = 0.6 * rng.standard_normal(array.shape)
    return model


def copies(model):
    """The untied translator whose three matrices are equal copies of a three-way E."""
    twin = drawn("none", model.cell, model.d_hidden)
    for name, array in model.params.items():
        if name != "E":
            twin.params[name] = array.copy()
    for name in twin.embedding_names:
        twin.params[name] = model.params["E"].copy()
    return twin


def check(model, source=SOURCE, target=TARGET, **options):
    result = model.loss_and_grads(source, target, **options)
    return check_gradients(
        lambda _: model.loss(source, target, masks=result.masks), model.params, result.grads
    )


@pytest.mark.parametrize(("tying", "cell", "d_hidden"), KINDS)
def test_every_parameter_passes_the_finite_difference(tying, cell, d_hidden):
    report = check(drawn(tying, cell, d_hidden))
    assert report.verdict == "PASS", str(report)


def test_the_gradients_hold_for_two_vocabularies_and_without_an_output_bias():
    model = drawn("decoder", "lstm", vocab_size=(9, 7), output_bias=False)
    report = check(model, SOURCE, np.minimum(TARGET, 6))
    assert report.verdict == "PASS", str(report)


def test_the_gradients_hold_under_dropout_and_its_masks_replay():
    model = drawn(dropout=0.4)
    report = check(model, rng=3)
    assert report.verdict == "PASS", str(report)
    masks = model.loss_and_grads(SOURCE, TARGET, rng=3).masks
    assert model.loss(SOURCE, TARGET, masks=masks) != model.loss(SOURCE, TARGET)
    assert drawn().loss_and_grads(SOURCE, TARGET, rng=3).loss == drawn().loss(SOURCE, TARGET)


@settings(max_examples=1 + settings().max_examples // 4)
@given(seed=st.integers(0, 2**32 - 1), cell=st.sampled_from(["gru", "lstm"]))
def test_the_gradients_hold_for_drawn_sentences(seed, cell):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(3, V, (2, 2, 4))
    source[0, rng.integers(1, 4) :] = PAD
    target[0, rng.integers(2, 4) :] = PAD
    target[:, 0] = BOS
    result = drawn(cell=cell, seed=seed).loss_and_grads(source, target)
    model = drawn(cell=cell, seed=seed)
    some = {name: model.params[name] for name in ("E", "encoder.b")}
    grads = {name: result.grads[name] for name in some}
    report = check_gradients(lambda _: model.loss(source, target), some, grads)
    assert report.verdict == "PASS", str(report)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_the_four_aliasing_experiments(cell):
    model = drawn(cell=cell)
    paths = model.loss_and_grads(SOURCE, TARGET).embedding_paths
    twin = copies(model)
    for index in [(3, 0), (4, 1), (6, 3), (1, 2)]:
        one = difference(lambda: model.loss(SOURCE, TARGET), model.params["E"], index, 1e-5)
        each = [
            difference(lambda: twin.loss(SOURCE, TARGET), twin.params[name], index, 1e-5)
            for name in ("E_source", "E_target", "E_out")
        ]
        assert each == pytest.approx([path[index] for path in paths], rel=1e-6, abs=1e-9)
        assert one == pytest.approx(sum(path[index] for path in paths), rel=1e-6, abs=1e-9)


def test_the_shared_gradient_is_exactly_the_sum_of_its_paths():
    three = drawn("three-way").loss_and_grads(SOURCE, TARGET)
    encoder, decoder, output = three.embedding_paths
    assert np.array_equal(three.grads["E"], encoder + decoder + output)
    two = drawn("decoder").loss_and_grads(SOURCE, TARGET)
    assert np.array_equal(two.grads["E"], two.embedding_paths.decoder + two.embedding_paths.output)
    assert np.array_equal(two.grads["E_source"], two.embedding_paths.encoder)
    none = drawn("none").loss_and_grads(SOURCE, TARGET)
    for name, path in zip(("E_source", "E_target", "E_out"), none.embedding_paths, strict=True):
        assert np.array_equal(none.grads[name], path)
    assert drawn().loss_and_grads(SOURCE, TARGET, paths=False).embedding_paths is None


def test_equal_copies_give_the_same_loss_and_different_updates():
    model = drawn()
    tied, untied = (m.loss_and_grads(SOURCE, TARGET) for m in (model, copies(model)))
    assert tied.loss == untied.loss
    assert not np.allclose(tied.grads["E"], untied.grads["E_out"])


def test_words_that_are_never_read_have_a_gradient_only_through_the_scores():
    encoder, decoder, output = drawn().loss_and_grads(SOURCE, TARGET).embedding_paths
    assert np.flatnonzero(encoder.any(axis=1)).tolist() == [2, 3, 4, 5, 6, 7, 8]
    assert np.flatnonzero(decoder.any(axis=1)).tolist() == [1, 3, 4, 5, 6]  # after <eos>: no loss
    assert output.any(axis=1).all()


@pytest.mark.parametrize("tying", TYINGS)
@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_longer_padding_changes_nothing(tying, cell):
    model = drawn(tying, cell)
    longer = [np.pad(ids, ((0, 0), (0, n))) for ids, n in ((SOURCE, 3), (TARGET, 2))]
    short, long = model.loss_and_grads(SOURCE, TARGET), model.loss_and_grads(*longer)
    assert long.loss == pytest.approx(short.loss, rel=1e-14)
    for name, grad in short.grads.items():
        np.testing.assert_allclose(long.grads[name], grad, rtol=0, atol=1e-13 * abs(grad).max())


def test_a_batch_averages_its_sentences_by_their_words():
    model = drawn()
    rows = [model.loss(SOURCE[i : i + 1], TARGET[i : i + 1]) for i in range(3)]
    assert model.loss(SOURCE, TARGET) == pytest.approx(np.average(rows, weights=[3, 4, 1]))


def test_the_padding_row_moves_nothing_but_its_own_score():
    model = drawn()
    encoder, decoder, _ = model.loss_and_grads(SOURCE, TARGET).embedding_paths
    assert not encoder[PAD].any()
    assert not decoder[PAD].any()
    fresh = Translator(V, D, tying="none", padding_id=PAD, rng=0)
    assert set(fresh.frozen) == {"E_source", "E_target", "E_out"}
    assert not any(fresh.params[name][PAD].any() for name in fresh.frozen)


def test_the_logits_are_those_the_loss_was_made_of():
    model = drawn()
    s = model.logits(SOURCE, TARGET)
    y = TARGET[:, 1:]
    log_p = s - np.log(np.exp(s).sum(axis=-1, keepdims=True))
    of_targets = np.take_along_axis(log_p, y[..., np.newaxis], axis=-1)[..., 0]
    assert model.loss(SOURCE, TARGET) == pytest.approx(-of_targets[y != PAD].mean())


@pytest.mark.parametrize("tying", TYINGS)
@pytest.mark.parametrize("d_hidden", [None, 48])
def test_the_first_loss_is_near_ln_v(tying, d_hidden):
    model = Translator(500, 32, d_hidden, tying=tying, rng=0)
    source, target = np.random.default_rng(1).integers(3, 500, (2, 8, 12))
    assert model.loss(source, target) == pytest.approx(np.log(500), rel=0.02)


def test_the_three_tyings_differ_by_whole_token_matrices():
    sizes = {
        tying: sum(a.size for a in Translator(V, D, H, tying=tying).params.values())
        for tying in TYINGS
    }
    assert sizes["none"] - sizes["decoder"] == V * D
    assert sizes["decoder"] - sizes["three-way"] == V * D


def test_each_tying_names_its_matrices():
    names = {tying: Translator(V, D, tying=tying).embedding_names for tying in TYINGS}
    assert names == {
        "none": ("E_source", "E_target", "E_out"),
        "decoder": ("E_source", "E"),
        "three-way": ("E",),
    }


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_greedy_decoding_takes_the_likeliest_next_word_of_its_own_prefix(cell):
    model = drawn(cell=cell, seed=4)
    ids = model.translate(SOURCE, max_len=6).ids
    for row, found in zip(SOURCE, ids, strict=True):
        prefix = [BOS]
        for word in found[: length(found)]:
            s = model.logits(row[np.newaxis], np.array([[*prefix, PAD]]))[0, -1]
            s[[PAD, BOS]] = -np.inf
            assert word == s.argmax()
            prefix.append(word)


def test_greedy_decoding_writes_neither_padding_nor_a_second_beginning():
    model = drawn(seed=4)
    words = model.translate(SOURCE, max_len=6).ids
    model.params["c"][[PAD, BOS]] = 1e3
    assert np.array_equal(model.translate(SOURCE, max_len=6).ids, words)


def length(ids):
    """Words of a translated row, its <eos> included."""
    ends = np.flatnonzero(ids == EOS)
    return len(ids) if ends.size == 0 else ends[0] + 1


def test_after_the_end_of_a_sentence_there_is_only_padding():
    model = drawn(seed=5)
    ids = model.translate(SOURCE, max_len=12).ids
    lengths = [length(row) for row in ids]
    assert min(lengths) < max(lengths)
    for row, end in zip(ids, lengths, strict=True):
        assert (row[end:] == PAD).all()
        assert not np.isin(row[:end], [PAD, BOS]).any()


def test_a_sentence_is_translated_alike_alone_and_in_a_batch():
    model = drawn(seed=2)
    together = model.translate(SOURCE, max_len=7)
    alone = model.translate(SOURCE[:1, :3], max_len=7)
    n = length(alone.ids[0])
    assert np.array_equal(together.ids[0, :n], alone.ids[0, :n])
    np.testing.assert_allclose(together.attention[0, :n, :3], alone.attention[0, :n])


def test_attention_is_a_distribution_over_the_words_of_the_source():
    attention = drawn().translate(SOURCE, max_len=5).attention
    np.testing.assert_allclose(attention.sum(axis=-1), 1)
    assert not attention.swapaxes(1, 2)[SOURCE == PAD].any()


def test_float32_stays_float32_and_follows_float64():
    model = drawn()
    small = model.astype(np.float32)
    assert small.config["dtype"] == "float32"
    expected = model.loss_and_grads(SOURCE, TARGET).grads
    for name, grad in small.loss_and_grads(SOURCE, TARGET).grads.items():
        assert grad.dtype == np.float32
        assert grad.shape == small.params[name].shape
        atol = 1e-5 * abs(expected[name]).max()
        np.testing.assert_allclose(grad, expected[name], rtol=1e-3, atol=atol)


def test_the_config_makes_a_model_of_the_same_kind():
    model = drawn("decoder", "lstm", vocab_size=(9, 8), dropout=0.1)
    other = Translator(**model.config)
    assert other.shapes == model.shapes
    assert other.config == model.config


def test_nothing_that_is_given_is_changed_and_a_second_call_agrees():
    model = drawn()
    source, target = SOURCE.copy(), TARGET.copy()
    before = {name: array.copy() for name, array in model.params.items()}
    first, second = (model.loss_and_grads(source, target) for _ in range(2))
    model.translate(source)
    assert np.array_equal(source, SOURCE)
    assert np.array_equal(target, TARGET)
    assert first.loss == second.loss
    for name, array in model.params.items():
        assert np.array_equal(array, before[name])
        assert np.array_equal(first.grads[name], second.grads[name])


def test_three_way_tying_of_two_vocabularies_is_refused_with_the_reason():
    with pytest.raises(ValueError, match="the source vocabulary has 9 entries and the target's 8"):
        Translator((9, 8), D)
    assert Translator((9, 8), D, tying="none").params["E_source"].shape == (9, D)


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ([[3, PAD, 4]], [[BOS, EOS]], "row 0 of source has a word after padding"),
        ([[3, 4, 5], [3, PAD, 4]], [[BOS, EOS]] * 2, "row 1 of source has a word after padding"),
        ([[PAD, PAD]], [[BOS, EOS]], "row 0 of source begins with padding"),
        ([[3, 4], [PAD, PAD]], [[BOS, EOS]] * 2, "row 1 of source begins with padding"),
        ([[3, 4]], [[BOS, EOS], [BOS, EOS]], "same number of rows, got 1 and 2"),
        ([[3, 4]], [[BOS]], "at least 2 long"),
        ([[3, 9]], [[BOS, EOS]], "source holds the id 9"),
        ([[3, 4]], [[BOS, 9]], "target holds the id 9"),
        ([[3, 4]], [[BOS, PAD]], "there is no loss to average"),
    ],
)
def test_sentences_that_do_not_fit_are_refused(source, target, message):
    with pytest.raises(ValueError, match=message):
        drawn().loss(np.array(source), np.array(target))
    if "source " in message:
        with pytest.raises(ValueError, match=message):
            drawn().translate(np.array(source))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tying": "two-way"}, "tying must be one of"),
        ({"vocab_size": (9, 9, 9)}, "one size, or"),
        ({"dropout": 1.0}, "dropout must be in"),
        ({"eos_id": 9}, "eos_id is 9"),
        ({"bos_id": -1}, "bos_id is -1"),
        ({"padding_id": -1}, "padding_id is -1"),
        ({"cell": "gre"}, "cell must be one of"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Translator(**({"vocab_size": V, "d_embed": D} | options))


@pytest.mark.parametrize("word", ["no", 0, None])
def test_an_output_bias_that_is_no_flag_is_refused(word):
    with pytest.raises(TypeError, match=f"output_bias must be True or False, got {word!r}"):
        Translator(V, D, output_bias=word)


def test_the_first_id_of_the_vocabulary_may_begin_a_sentence():
    assert Translator(V, D, bos_id=0, eos_id=V - 1).config["bos_id"] == 0


def test_masks_of_another_batch_are_refused():
    model = drawn(dropout=0.5)
    masks = model.loss_and_grads(SOURCE[:2], TARGET[:2], rng=0).masks
    with pytest.raises(ValueError, match="a mask must have shape"):
        model.loss(SOURCE, TARGET, masks=masks)
    with pytest.raises(TypeError, match="masks must be what loss_and_grads returned"):
        model.loss(SOURCE, TARGET, masks=[None, None, None])
    with pytest.raises(ValueError, match="not both"):
        model.loss_and_grads(SOURCE, TARGET, masks=masks, rng=0)
