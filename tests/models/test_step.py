"""One token at a time: the same scores as over the whole text, for both language models."""

import numpy as np
import pytest

from tinytie import RNNLM, TransformerLM

V = 9
X = np.random.default_rng(0).integers(V, size=(3, 6))


def shaken(model):
    """Away from the first values, where biases are zero."""
    rng = np.random.default_rng(1)
    for array in model.params.values():
        array += 0.3 * rng.standard_normal(array.shape)
    return model


MODELS = {
    "rnn": lambda: RNNLM(V, 4, 5, rng=0),
    "gru": lambda: RNNLM(V, 4, 5, cell="gru", n_layers=2, rng=0),
    "lstm": lambda: RNNLM(V, 4, 5, cell="lstm", n_layers=2, dropout=0.5, rng=0),
    "post": lambda: TransformerLM(V, 6, 2, 2, 6, output_bias=True, dropout=0.5, rng=0),
    "pre": lambda: TransformerLM(
        V, 6, 3, 1, 8, norm="pre", final_norm=True, positions="sinusoidal", tied=False, rng=0
    ),
}


@pytest.fixture(params=MODELS)
def model(request):
    return shaken(MODELS[request.param]())


def test_steps_give_the_scores_of_the_whole_text(model):
    memory = model.start(len(X))
    for t in range(X.shape[1]):
        scores, memory = model.step(X[:, t], memory)
        whole, _ = model.logits(X[:, : t + 1])
        assert scores.shape == (3, V)
        np.testing.assert_allclose(scores, whole[:, -1], rtol=0, atol=1e-12)


def test_a_step_leaves_its_memory_as_it_was(model):
    _, memory = model.step(X[:, 0], model.start(3))
    first, _ = model.step(X[:, 1], memory)
    model.step(X[:, 2], memory)
    again, _ = model.step(X[:, 1], memory)
    np.testing.assert_array_equal(first, again)


def test_the_rows_are_told_apart(model):
    _, memory = model.step(np.array([0, 1, 2]), model.start(3))
    scores, _ = model.step(np.array([3, 3, 3]), memory)
    assert (scores[0] != scores[1]).all()
    assert (scores[1] != scores[2]).all()


def test_a_step_reads_the_parameters_afresh(model):
    before, _ = model.step(X[:, 0], model.start(3))
    model.params[model.embedding_names[-1]][:] *= 2
    after, _ = model.step(X[:, 0], model.start(3))
    assert (before != after).any()


@pytest.mark.parametrize("wrong", [X, 3, np.array([[1]])])
def test_ids_that_are_not_one_a_row_are_refused(model, wrong):
    with pytest.raises(ValueError, match=r"ids must have shape \(B,\)"):
        model.step(wrong, model.start(3))


def test_an_id_outside_the_vocabulary_is_refused(model):
    with pytest.raises(ValueError, match="ids holds the id 9, outside 0 … 8"):
        model.step(np.array([0, 1, 9]), model.start(3))


def test_a_memory_of_another_batch_is_refused(model):
    _, memory = model.step(X[:, 0], model.start(3))
    with pytest.raises(ValueError, match=r"must have shape|must be what start\(2\)"):
        model.step(X[:2, 0], memory)


@pytest.mark.parametrize("wrong", [(), "text", (np.zeros((3, 6)),) * 2, None])
def test_a_memory_from_elsewhere_is_refused(wrong):
    with pytest.raises(ValueError, match=r"memory must be what start\(3\) or the step before"):
        MODELS["post"]().step(X[:, 0], wrong)


def test_a_memory_of_another_dtype_is_refused():
    model = MODELS["post"]()
    with pytest.raises(ValueError, match="and dtype float32 for each of the 2 blocks"):
        model.astype(np.float32).step(X[:, 0], model.start(3))


def test_a_transformer_says_where_its_memory_is_full():
    model = MODELS["post"]()
    assert model.context == 6
    memory = model.start(3)
    for t in range(6):
        _, memory = model.step(X[:, t], memory)
    with pytest.raises(ValueError, match="7 tokens in a row are more than max_len, which is 6"):
        model.step(X[:, 0], memory)


def test_a_recurrent_model_is_never_full():
    assert MODELS["rnn"]().context is None
