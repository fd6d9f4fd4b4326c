"""What holds for every body in BODIES, tied and untied, whatever it computes."""

import copy
import pickle

import numpy as np
import pytest

import tinytie
from tests.models.cases import arrays, mapped, same
from tinytie import check_gradients, check_model, count_parameters, tie_weights, untie_weights
from tinytie.models import bodies
from tinytie.models.bodies import BODIES
from tinytie.models.feedforward_lm import FeedForwardBody, FeedForwardLM
from tinytie.ops.embedding import onehot

V = 9
EXAMPLES = {
    name: (kind.model, options)
    for kind in BODIES.values()
    for name, options in kind.examples().items()
}
every_example = pytest.mark.parametrize("name", EXAMPLES)
every_tie = pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])


def shaken(model, seed=0):
    """Every parameter drawn, so that no bias is zero."""
    rng = np.random.default_rng(seed)
    for array in model.params.values():
        array[...] = 0.6 * rng.standard_normal(array.shape)
    return model


def made(name, tied=True, **more):
    """(model, x, y, state): one token twice inside a step, no entry of the state zero."""
    make, options = EXAMPLES[name]
    model, rng = shaken(make(V, tied=tied, rng=0, **options | more)), np.random.default_rng(1)
    x, y = rng.integers(V - 1, size=(2, 2, 5))  # the last word never occurs
    x[1, 0] = x[0, -1] = x[0, 0]
    state = mapped(lambda a: 0.5 * rng.standard_normal(a.shape), model.initial_state(2) or ())
    return model, x, y, state or None


@every_tie
@every_example
def test_every_gradient_and_both_paths_pass_the_check(name, tied):
    report = check_model(*made(name, tied), rng=0)
    assert report.verdict == "PASS", str(report)


@every_example
def test_the_tied_gradient_is_the_sum_of_the_paths_with_and_without_them(name):
    model, *batch = made(name)
    result, bare = model.loss_and_grads(*batch), model.loss_and_grads(*batch, paths=False)
    assert bare.embedding_paths is None
    np.testing.assert_array_equal(result.grads["E"], sum(result.embedding_paths))
    for key, gradient in result.grads.items():
        np.testing.assert_array_equal(bare.grads[key], gradient)


@every_example
def test_untied_with_equal_copies_has_the_same_loss_and_the_paths_as_gradients(name):
    model, *batch = made(name)
    twin = untie_weights(model)
    one, two = model.loss_and_grads(*batch), twin.loss_and_grads(*batch)
    assert one.loss == two.loss
    np.testing.assert_array_equal(one.embedding_paths.input, two.grads["E_in"])
    np.testing.assert_array_equal(one.embedding_paths.output, two.grads["E_out"])
    assert same((tie_weights(twin).params["E"],), (model.params["E"],))


@every_tie
@every_example
def test_gradients_have_the_keys_order_shapes_and_dtype_of_the_parameters(name, tied):
    for dtype in (np.float32, np.float64):
        model, x, y, _ = made(name, tied, dtype=dtype)
        result = model.loss_and_grads(x, y)
        assert list(result.grads) == list(model.params) == list(model.shapes)
        for key, gradient in result.grads.items():
            assert (gradient.shape, gradient.dtype) == (model.params[key].shape, dtype)
        assert isinstance(result.loss, float)
        assert all(a.dtype == dtype for a in arrays(result.state or ()))


@every_example
def test_a_word_that_is_not_read_has_no_lookup_gradient_but_one_from_the_scores(name):
    paths = made(name)[0].loss_and_grads(*made(name)[1:]).embedding_paths
    assert not paths.input[V - 1].any()
    assert paths.output[V - 1].all()


@every_example
def test_the_loss_is_that_of_the_logits_and_chunks_of_a_text_give_the_whole(name):
    model, x, y, state = made(name)
    s, last = model.logits(x, state)
    log_y_hat = s - np.log(np.exp(s).sum(axis=-1, keepdims=True))
    loss = -(log_y_hat * onehot(y, V)).sum() / y.size
    assert model.loss(x, y, state)[0] == pytest.approx(loss, rel=1e-12)
    if last is not None:
        first, middle = model.logits(x[:, :2], state)
        second, end = model.logits(x[:, 2:], middle)
        np.testing.assert_allclose(np.hstack([first, second]), s, rtol=1e-12, atol=1e-13)
        assert all(np.allclose(a, b) for a, b in zip(arrays(end), arrays(last), strict=True))


@every_example
def test_step_by_step_the_scores_are_those_of_the_whole_text(name):
    model, x, *_ = made(name)
    memory, whole = model.start(2), model.logits(x)[0]
    for t in range(x.shape[1]):
        scores, memory = model.step(x[:, t], memory)
        np.testing.assert_allclose(scores, whole[:, t], rtol=1e-12, atol=1e-13)


@every_example
def test_dropout_acts_only_where_asked_for_and_is_replayed(name):
    model, x, y, state = made(name, dropout=0.5)
    plain, drawn = model.loss_and_grads(x, y, state), model.loss_and_grads(x, y, state, rng=3)
    assert plain.loss == model.loss(x, y, state)[0] != drawn.loss
    again = model.loss_and_grads(x, y, state, masks=drawn.masks)
    assert drawn.loss == again.loss == pytest.approx(model.loss(x, y, state, masks=drawn.masks)[0])
    assert all(np.array_equal(drawn.grads[key], again.grads[key]) for key in drawn.grads)
    loss = lambda _: model.loss(x, y, state, masks=drawn.masks)[0]
    report = check_gradients(loss, model.params, drawn.grads)
    assert not [row for row in report.rows if row.verdict == "FAIL"], str(report)


@every_tie
@every_example
def test_a_file_a_copy_and_a_pickle_are_the_same_model(name, tied, tmp_path):
    model, x, _, state = made(name, tied)
    tinytie.save(tmp_path / "model", model)
    others = (
        tinytie.load(tmp_path / "model"),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
    )
    for other in others:
        assert other.config == model.config
        np.testing.assert_array_equal(other.logits(x, state)[0], model.logits(x, state)[0])
        assert len({id(array) for array in other.params.values()}) == len(model.params)


@every_example
def test_parameters_are_counted_once_with_and_without_arrays(name):
    make, options = EXAMPLES[name]
    model, sketch = make(V, **options, rng=0), make.sketch(V, **options)
    count = count_parameters(model)
    assert count == count_parameters(sketch)
    assert count["total"] == sum(array.size for array in model.params.values())
    assert count["savings"] == model.params["E"].size


@every_example
def test_the_first_loss_is_that_of_an_even_guess(name):
    make, options = EXAMPLES[name]
    x, y = np.random.default_rng(0).integers(50, size=(2, 4, 6))
    for tied in (True, False):
        loss, _ = make(50, tied=tied, rng=0, **options).loss(x, y)
        assert loss == pytest.approx(np.log(50), rel=0.05)


@pytest.mark.parametrize("name", ["rnn", "lstm", "feedforward"])
def test_two_vocabularies_read_one_and_predict_the_other(name):
    make, options = EXAMPLES[name]
    model = shaken(make((7, 5), tied=False, rng=0, **options))
    x, y = np.arange(6).reshape(2, 3), np.array([[0, 4, 4], [1, 2, 3]])
    assert model.logits(x)[0].shape == (2, 3, 5)
    assert check_model(model, x, y, rng=0).verdict == "PASS"
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
    model = shaken(kind.model(V, rng=0, **options))
    x, y = np.random.default_rng(1).integers(V, size=(2, 2, 5))
    assert check_model(model, x, y, rng=0).verdict == verdict
