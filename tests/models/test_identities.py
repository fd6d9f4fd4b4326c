"""Laws that hold for every cell, width and tying, whatever the numbers are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.models.cases import CELLS, arrays, case, cases, mapped, same
from tinytie import untie_weights
from tinytie.ops.softmax import cross_entropy_backward, cross_entropy_forward, softmax

close = np.testing.assert_allclose


def permuted(params, names, order):
    """The same parameters with the words in another order."""
    return {name: array[order] if name in names else array for name, array in params.items()}


@given(cases(), st.randoms(use_true_random=False))
def test_permuting_the_vocabulary_permutes_the_rows_of_the_gradients(drawn, random):
    model, x, y, state = drawn
    before = model.loss_and_grads(x, y, state)
    order = np.array(random.sample(range(model.vocab_size), model.vocab_size))
    names = (*model.embedding_names, "c")
    model.params = permuted(model.params, names, order)
    place = np.argsort(order)
    after = model.loss_and_grads(place[x], place[y], state)
    close(after.loss, before.loss, rtol=1e-12)
    for name, gradient in permuted(before.grads, names, order).items():
        close(after.grads[name], gradient, rtol=1e-9, atol=1e-12, err_msg=name)


@given(cases(output_bias=True), st.floats(-50, 50))
def test_a_constant_added_to_all_scores_changes_nothing(drawn, constant):
    model, *batch = drawn
    before = model.loss_and_grads(*batch)
    model.params["c"] += constant
    after = model.loss_and_grads(*batch)
    close(after.loss, before.loss, rtol=1e-11)
    for name, gradient in before.grads.items():
        close(after.grads[name], gradient, rtol=1e-8, atol=1e-11, err_msg=name)


@given(cases())
def test_each_row_of_the_gradient_of_the_scores_sums_to_zero(drawn):
    model, x, y, state = drawn
    logits, _ = model.logits(x, state)
    _, cache = cross_entropy_forward(logits, y)
    ds = cross_entropy_backward(1.0, cache)
    close(ds.sum(axis=-1), 0, atol=1e-15)
    assert ds.any()


@given(cases(output_bias=True))
def test_the_gradient_of_the_output_bias_sums_to_zero(drawn):
    model, *batch = drawn
    close(model.loss_and_grads(*batch).grads["c"].sum(), 0, atol=1e-14)


def rows(batch, some):
    """The same rows of x, y and every array of the state."""
    return mapped(lambda array: array[some], batch)


@given(cases(padding_id=7), st.integers(1, 2))
def test_parts_of_a_batch_average_weighted_by_the_targets_they_count(drawn, at):
    model, x, y, state = drawn
    y[:, 1:][y[:, 1:] == 0] = 7  # so that the parts count differently many
    y[:, 0] = 1
    whole = model.loss_and_grads(x, y, state)
    parts = rows((x, y, state), slice(at)), rows((x, y, state), slice(at, None))
    counts = np.array([np.count_nonzero(part[1] != 7) for part in parts])
    results = [model.loss_and_grads(*part) for part in parts]
    weights = counts / counts.sum()
    close(whole.loss, weights @ [r.loss for r in results], rtol=1e-12)
    for name, gradient in whole.grads.items():
        mean = sum(w * r.grads[name] for w, r in zip(weights, results, strict=True))
        close(gradient, mean, rtol=1e-9, atol=1e-13, err_msg=name)


@given(cases())
def test_doubling_the_batch_leaves_the_mean_loss_and_its_gradients(drawn):
    model, *batch = drawn
    once = model.loss_and_grads(*batch)
    doubled = model.loss_and_grads(*mapped(lambda array: np.concatenate([array, array]), (*batch,)))
    close(doubled.loss, once.loss, rtol=1e-12)
    for name, gradient in once.grads.items():
        close(doubled.grads[name], gradient, rtol=1e-9, atol=1e-13, err_msg=name)


@given(cases(), st.integers(1, 4))
def test_losses_in_pieces_with_the_state_carried_equal_the_whole(drawn, cut):
    model, x, y, state = drawn
    whole, end = model.loss(x, y, state)
    first, middle = model.loss(x[:, :cut], y[:, :cut], state)
    second, last = model.loss(x[:, cut:], y[:, cut:], middle)
    steps = x.shape[1]
    close(whole, (cut * first + (steps - cut) * second) / steps, rtol=1e-12)
    for one, other in zip(arrays(last), arrays(end), strict=True):
        close(one, other, atol=1e-12)


@given(st.sampled_from(CELLS), st.integers(0, 2**32 - 1))
def test_gradients_in_pieces_differ_by_the_terms_across_the_cut(cell, seed):
    """What is lost is the gradient that the second piece sends into the state it started from."""
    model, x, y, state = case(seed, cell=cell, T=6)
    whole = model.loss_and_grads(x, y, state).grads
    first = model.loss_and_grads(x[:, :3], y[:, :3], state)
    second = model.loss_and_grads(x[:, 3:], y[:, 3:], first.state)
    across = {name: numeric_across_the_cut(model, name, x, y, state) for name in ("b0", "U0")}
    for name, lost in across.items():
        pieces = (first.grads[name] + second.grads[name]) / 2
        close(whole[name] - pieces, lost, rtol=1e-5, atol=1e-9)
        assert np.abs(lost).max() > 1e-6, name


def numeric_across_the_cut(model, name, x, y, state, step=1e-5):
    """Half the derivative of the second piece's loss through the state that it starts from."""
    array, lost = model.params[name], np.empty_like(model.params[name])
    kept = array.copy()

    def later_loss(change, index):
        array[index] = kept[index] + change
        _, middle = model.loss(x[:, :3], y[:, :3], state)
        array[...] = kept  # the second piece itself uses the parameter as it was
        return model.loss(x[:, 3:], y[:, 3:], middle)[0]

    for index in np.ndindex(array.shape):
        lost[index] = (later_loss(step, index) - later_loss(-step, index)) / (4 * step)
    return lost


@given(cases(tied=True))
def test_tied_by_value_and_untied_have_equal_losses_and_different_updates(drawn):
    model, *batch = drawn
    twin = untie_weights(model)
    tied, untied = model.loss_and_grads(*batch), twin.loss_and_grads(*batch)
    assert tied.loss == untied.loss
    assert same(tied.embedding_paths, untied.embedding_paths)
    assert not np.array_equal(untied.grads["E_in"], untied.grads["E_out"])
    assert not np.array_equal(tied.grads["E"], untied.grads["E_in"])


@given(cases(tied=True, output_bias=False))
def test_similar_embeddings_get_similar_probabilities(drawn):
    """|log ŷ_i − log ŷ_j| <= ‖e_i − e_j‖ ‖o‖: Cauchy and Schwarz, where there is no bias."""
    model, x, _, state = drawn
    logits, _ = model.logits(x, state)
    log_p = np.log(softmax(logits))
    E = model.params["E"]
    o = logits @ np.linalg.pinv(E).T  # s = E o, so that o = E⁺ s
    distances = np.linalg.norm(E[:, None] - E[None], axis=-1)
    lengths = np.linalg.norm(o, axis=-1)[..., None, None]
    differences = np.abs(log_p[..., :, None] - log_p[..., None, :])
    assert (differences <= distances * lengths * (1 + 1e-9) + 1e-12).all()


def test_a_bias_breaks_the_law_of_similar_probabilities():
    model, x, _, state = case(H=4, output_bias=True)
    model.params["E"][0] = model.params["E"][1]
    logits, _ = model.logits(x, state)
    assert np.allclose(logits[..., 0] - logits[..., 1], np.subtract(*model.params["c"][:2]))
    assert abs(np.subtract(*model.params["c"][:2])) > 0.1


def test_the_most_aligned_embedding_need_not_win():
    """Scores are dot products: a longer row beats one that points exactly along o."""
    o = np.array([1.0, 0.0])
    E = np.array([[1.0, 0.0], [3.0, 3.0], [0.0, 1.0]])
    cosines = E @ o / np.linalg.norm(E, axis=1)
    assert cosines.argmax() == 0
    assert (E @ o).argmax() == 1


@given(cases())
def test_a_sentence_alone_scores_as_it_does_inside_a_batch(drawn):
    model, x, _, state = drawn
    together, _ = model.logits(x, state)
    for row in range(len(x)):
        alone, _ = model.logits(*rows((x, state), slice(row, row + 1)))
        close(alone[0], together[row], rtol=1e-10, atol=1e-12)
