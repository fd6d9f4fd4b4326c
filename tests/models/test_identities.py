"""Laws that hold for every body, cell, width and tying, whatever the numbers are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.models.cases import CELLS, case, cases, close, recurrent
from tinytie.ops.leaves import map_leaves
from tinytie.ops.softmax import cross_entropy_backward, cross_entropy_forward, softmax


def permuted(params, names, order):
    """The same parameters with the words in another order."""
    return {name: array[order] if name in names else array for name, array in params.items()}


def each(f, *batch):
    """f of every array of x, y and the state."""
    return [None if part is None else map_leaves(f, part) for part in batch]


@given(cases(), st.randoms(use_true_random=False))
def test_permuting_the_vocabulary_permutes_the_rows_of_the_gradients(drawn, random):
    model, x, y, state = drawn
    before = model.loss_and_grads(x, y, state)
    order = np.array(random.sample(range(model.vocab_size), model.vocab_size))
    names = (*model.embedding_names, "c")
    model.params = permuted(model.params, names, order)
    place = np.argsort(order)
    after = model.loss_and_grads(place[x], place[y], state)
    close(after.loss, before.loss)
    close(after.grads, permuted(before.grads, names, order))


@given(cases(output_bias=True), st.floats(-50, 50))
def test_a_constant_added_to_all_scores_changes_nothing(drawn, constant):
    model, *batch = drawn
    before = model.loss_and_grads(*batch)
    model.params["c"] += constant
    after = model.loss_and_grads(*batch)
    close(after.loss, before.loss)
    close(after.grads, before.grads, rtol=1e-8, atol=1e-11)


@given(cases(output_bias=True))
def test_the_gradients_of_the_scores_and_of_their_bias_sum_to_zero(drawn):
    model, x, y, state = drawn
    ds = cross_entropy_backward(1.0, cross_entropy_forward(model.logits(x, state)[0], y)[1])
    close(ds.sum(axis=-1), 0 * x, atol=1e-15)
    assert ds.any()
    close(model.loss_and_grads(x, y, state).grads["c"].sum(), 0.0, atol=1e-14)


@given(recurrent(padding_id=7), st.integers(1, 2))
def test_parts_of_a_batch_average_weighted_by_the_targets_they_count(drawn, at):
    model, x, y, state = drawn
    y[:, 1:][y[:, 1:] == 0] = 7  # so that the parts count differently many
    y[:, 0] = 1
    whole = model.loss_and_grads(x, y, state)
    parts = [each(lambda a, s=s: a[s], x, y, state) for s in (slice(at), slice(at, None))]
    counts = np.array([np.count_nonzero(part[1] != 7) for part in parts])
    results, weights = [model.loss_and_grads(*part) for part in parts], counts / counts.sum()
    close(whole.loss, weights @ [r.loss for r in results])
    mean = lambda name: sum(w * r.grads[name] for w, r in zip(weights, results, strict=True))
    close(whole.grads, {name: mean(name) for name in whole.grads})


@given(cases())
def test_doubling_the_batch_leaves_the_mean_loss_and_its_gradients(drawn):
    model, *batch = drawn
    once = model.loss_and_grads(*batch)
    doubled = model.loss_and_grads(*each(lambda a: np.concatenate([a, a]), *batch))
    close(doubled.loss, once.loss)
    close(doubled.grads, once.grads)


@given(cases())
def test_a_sentence_alone_scores_as_it_does_inside_a_batch(drawn):
    model, x, _, state = drawn
    together, _ = model.logits(x, state)
    for row in range(len(x)):
        alone, _ = model.logits(*each(lambda a, row=row: a[row : row + 1], x, state))
        close(alone[0], together[row])


@given(recurrent(activation="tanh"), st.integers(1, 4))  # a relu may be dead
def test_losses_in_pieces_with_the_state_carried_equal_the_whole(drawn, cut):
    model, x, y, state = drawn
    zeros = model.initial_state(len(x))
    assert model.loss(x, y)[0] == model.loss(x, y, zeros)[0] != model.loss(x, y, state)[0]
    whole, _ = model.loss(x, y, state)
    first = model.loss_and_grads(x[:, :cut], y[:, :cut], state)
    second = model.loss_and_grads(x[:, cut:], y[:, cut:], first.state)
    steps = x.shape[1]
    close((cut * first.loss + (steps - cut) * second.loss) / steps, whole)


@given(st.sampled_from(CELLS), st.integers(0, 2**32 - 1))
def test_gradients_in_pieces_differ_by_the_terms_across_the_cut(cell, seed):
    """What is lost is the gradient that the second piece sends into the state it started from."""
    model, x, y, state = case(seed, cell=cell, T=6, d_hidden=3)
    whole = model.loss_and_grads(x, y, state).grads
    first = model.loss_and_grads(x[:, :3], y[:, :3], state)
    second = model.loss_and_grads(x[:, 3:], y[:, 3:], first.state)
    for name in ("b0", "U0"):
        lost = numeric_across_the_cut(model, name, x, y, state)
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


@given(recurrent(tied=True, output_bias=False))
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
    model, x, _, state = case(d_hidden=4, output_bias=True)
    model.params["E"][0] = model.params["E"][1]
    logits, _ = model.logits(x, state)
    assert np.allclose(logits[..., 0] - logits[..., 1], np.subtract(*model.params["c"][:2]))
    assert abs(np.subtract(*model.params["c"][:2])) > 0.1
