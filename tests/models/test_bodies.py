"""What holds for every body in BODIES, tied and untied, whatever it computes: its gradients."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings

import tinytie
from tests.models.cases import (
    EVERYWHERE,
    EXAMPLES,
    arrays,
    case,
    close,
    every_example,
    every_tie,
    made,
    recurrent,
)
from tinytie import check_gradients, check_model, count_parameters, untie_weights
from tinytie.gradcheck.numeric import numeric_gradient
from tinytie.models import bodies
from tinytie.models.bodies import BODIES
from tinytie.models.feedforward_lm import FeedForwardBody, FeedForwardLM
from tinytie.ops.embedding import onehot

V = 9


def passes(*batch, **options):
    report = check_model(*batch, rng=0, **options)
    return report.verdict == "PASS" or pytest.fail(str(report))


@every_tie
@every_example
def test_every_gradient_and_both_paths_pass_the_check(name, tied):
    assert passes(*made(name, tied, B=2))


@settings(max_examples=1 + settings().max_examples // 6)  # each bumps every entry of every array
@given(recurrent(activation="tanh", B=2, T=3))
def test_a_recurrent_model_of_any_shape_passes_the_check(drawn):
    assert passes(*drawn)


@pytest.mark.parametrize("variational", [False, True])
def test_every_parameter_passes_under_masks_in_every_place(variational):
    dropout = EVERYWHERE._replace(variational=variational)
    assert passes(*case(cell="lstm", n_layers=2, dropout=dropout, B=2))


@pytest.mark.parametrize("name", ["gru", "feedforward"])
def test_padding_leaves_every_gradient_the_derivative_of_the_loss(name):
    model, x, y, state = made(name, padding_id=2)
    y[0, 1:] = x[0, 2:] = 2
    assert passes(model, x, y, state)


@pytest.mark.parametrize(("B", "T"), [(1, 1), (1, 5), (3, 1)])
@every_example
def test_no_gradient_fails_at_the_smallest_batches(name, B, T):
    verdicts = {row.verdict for row in check_model(*made(name, B=B, T=T)).rows}
    assert "FAIL" not in verdicts and "PASS" in verdicts


@every_example
def test_the_three_experiments_one_array_passed_twice_and_each_of_two_equal_copies(name):
    """The loss itself says what each path is, and that neither alone is the gradient of E."""
    model, *batch = made(name, B=2, T=3)
    twin, paths = untie_weights(model), model.loss_and_grads(*batch).embedding_paths
    for params, key, expected in [
        (model.params, "E", sum(paths)), (twin.params, "E_in", paths.input),
        (twin.params, "E_out", paths.output),
    ]:  # fmt: skip
        owner = model if key == "E" else twin
        numeric = numeric_gradient(lambda owner=owner: owner.loss(*batch)[0], params[key])
        near = lambda path, numeric=numeric: (
            np.abs(path - numeric).max() <= 1e-6 * np.abs(numeric).max() + 1e-9
        )
        assert near(expected)
        assert [near(path) for path in (*paths, sum(paths))].count(True) == 1


@every_example
def test_the_tied_gradient_is_the_sum_of_the_paths_with_and_without_them(name):
    model, *batch = made(name)
    result, bare = model.loss_and_grads(*batch), model.loss_and_grads(*batch, paths=False)
    assert bare.embedding_paths is None
    assert bare.loss == result.loss
    np.testing.assert_array_equal(result.grads["E"], sum(result.embedding_paths))
    close(bare.grads, result.grads, rtol=0, atol=0)


@every_example
def test_untied_with_equal_copies_has_the_same_loss_and_the_paths_as_gradients(name):
    model, *batch = made(name)
    twin = untie_weights(model)
    one, two = model.loss_and_grads(*batch), twin.loss_and_grads(*batch)
    assert one.loss == two.loss
    for key, path in zip(("E_in", "E_out"), one.embedding_paths, strict=True):
        np.testing.assert_array_equal(path, two.grads[key])
        assert not np.array_equal(one.grads["E"], two.grads[key])  # another update
    assert not np.array_equal(two.grads["E_in"], two.grads["E_out"])


@every_example
def test_a_word_that_is_not_read_has_no_lookup_gradient_but_one_from_the_scores(name):
    model, *batch = made(name)
    paths = model.loss_and_grads(*batch).embedding_paths
    assert not paths.input[V - 1].any()
    assert paths.output[V - 1].all()


@every_tie
@every_example
def test_gradients_have_the_keys_order_shapes_and_dtype_of_the_parameters(name, tied):
    for dtype in (np.float32, np.float64):
        model, x, y, state = made(name, tied, dtype=dtype, embed_scale=2.0, dropout=0.5)
        for paths in (True, False):
            result = model.loss_and_grads(x, y, state, rng=0, paths=paths)
            assert list(result.grads) == list(model.params) == list(model.shapes)
            for key, gradient in result.grads.items():
                assert (gradient.shape, gradient.dtype) == (model.params[key].shape, dtype)
        others = arrays((model.logits(x, state), model.initial_state(2), result[2:]))
        assert {a.dtype for a in others} == {np.dtype(dtype)}
        assert type(result.loss) is type(model.loss(x, y, state)[0]) is float


@every_tie
@every_example
def test_float32_gradients_agree_with_float64(name, tied):
    model, *batch = made(name, tied)
    exact = model.loss_and_grads(*batch).grads
    single = model.astype(np.float32).loss_and_grads(*batch).grads
    for key, gradient in exact.items():
        assert single[key].dtype == np.float32
        assert np.abs(single[key] - gradient).max() < 1e-5 * np.abs(gradient).max() + 2e-7, key


@every_example
def test_the_loss_is_that_of_the_logits_and_chunks_of_a_text_give_the_whole(name):
    model, x, y, state = made(name)
    s, last = model.logits(x, state)
    log_y_hat = s - np.log(np.exp(s).sum(axis=-1, keepdims=True))
    loss = -(log_y_hat * onehot(y, V)).sum() / y.size
    assert model.loss(x, y, state)[0] == pytest.approx(loss, rel=1e-12)
    assert model.loss_and_grads(x, y, state).loss == pytest.approx(loss, rel=1e-12)
    if last is not None:
        first, middle = model.logits(x[:, :2], state)
        second, end = model.logits(x[:, 2:], middle)
        close(np.hstack([first, second]), s)
        for one, other in zip(arrays(end), arrays(last), strict=True):
            close(one, other)


@every_example
def test_scores_in_chunks_give_the_same_gradients(name):
    model, *batch = made(name)
    whole = model.loss_and_grads(*batch)
    model.max_score_bytes = 4 * V * 8
    chunked = model.loss_and_grads(*batch)
    assert chunked.loss == pytest.approx(whole.loss, rel=1e-13)
    close(chunked.grads, whole.grads, atol=1e-13)


@every_example
def test_dropout_acts_only_where_asked_for_and_is_replayed(name):
    model, x, y, state = made(name, dropout=0.5, B=2)
    plain, drawn = model.loss_and_grads(x, y, state), model.loss_and_grads(x, y, state, rng=3)
    assert plain.loss == model.loss(x, y, state)[0] != drawn.loss
    assert plain.loss == made(name, B=2).model.loss(x, y, state)[0]
    again = model.loss_and_grads(x, y, state, masks=drawn.masks)
    assert drawn.loss == again.loss == pytest.approx(model.loss(x, y, state, masks=drawn.masks)[0])
    close(drawn.grads, again.grads, rtol=0, atol=0)
    loss = lambda _: model.loss(x, y, state, masks=drawn.masks)[0]
    report = check_gradients(loss, model.params, drawn.grads)
    assert not [row for row in report.rows if row.verdict == "FAIL"], str(report)


@every_tie
@every_example
def test_a_file_a_copy_and_a_pickle_are_the_same_model(name, tied, tmp_path):
    model, x, _, state = made(name, tied)
    tinytie.save(tmp_path / "model", model)
    others = (
        tinytie.load(tmp_path / "model"), copy.copy(model), copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)), model.astype(model.dtype),
    )  # fmt: skip
    for other in others:
        assert type(other) is type(model)
        assert other.config == model.config
        np.testing.assert_array_equal(other.logits(x, state)[0], model.logits(x, state)[0])
        assert len({id(array) for array in other.params.values()}) == len(model.params)
        assert (other.embeddings()[0] is other.embeddings()[1]) == tied


@every_example
def test_parameters_are_counted_once_with_and_without_arrays(name):
    make, options = EXAMPLES[name]
    model, sketch = make(V, **options, rng=0), make.sketch(V, **options)
    count = count_parameters(model)
    assert count == count_parameters(sketch)
    assert count["total"] == sum(array.size for array in model.params.values())
    assert count["savings"] == model.params["E"].size


@pytest.mark.parametrize("name", ["rnn", "lstm", "feedforward"])
def test_two_vocabularies_read_one_and_predict_the_other(name):
    make, options = EXAMPLES[name]
    model = make((7, 5), tied=False, rng=0, **options)
    for array in model.params.values():
        array += 0.5
    x, y = np.arange(6).reshape(2, 3), np.array([[0, 4, 4], [1, 2, 3]])
    assert model.logits(x)[0].shape == (2, 3, 5)
    assert passes(model, x, y)
    with pytest.raises(ValueError, match="row i stands for the same word on both sides"):
        make((7, 5), rng=0, **options)


class Forgetful(FeedForwardBody):
    """A wrong body: what a vector is given by the windows after its own is lost."""

    def backward(self, do, cache):
        de, grads = super().backward(do, cache)
        return np.roll(de, 1, axis=1), grads


@pytest.mark.parametrize(("body", "verdict"), [(Forgetful, "FAIL"), (FeedForwardBody, "PASS")])
def test_a_body_that_is_registered_is_reached_by_the_check(monkeypatch, body, verdict):
    class Another(FeedForwardLM):
        def _assemble(self, _, rng, spread):
            sizes = self.d_embed, self.d_hidden, self.window, self.projection
            super()._assemble(body(*sizes, self.dropout), rng, spread)

    kind = BODIES["feedforward"]._replace(model=Another)
    monkeypatch.setitem(bodies.BODIES, "another", kind)
    (options, *_) = BODIES["another"].examples().values()
    assert check_model(*case(make=kind.model, **options), rng=0).verdict == verdict
