"""The loop: one array stays one array, the best is kept, and a restored run is the same run."""

import copy
from functools import partial

import numpy as np
import pytest

from tinytie import RNNLM, CheckpointError, TransformerLM, load_checkpoint, save
from tinytie.measure.perplexity import predict
from tinytie.text.batches import Batches
from tinytie.training.finite import TrainingError
from tinytie.training.optimizers import OPTIMIZERS, SGD, Adam
from tinytie.training.schedules import Constant, Decay
from tinytie.training.trainer import Epoch, Step, Trainer

V = 12


def text(n=400, seed=0):
    """A text with something to learn: most words are followed by the next one."""
    rng = np.random.default_rng(seed)
    jumps = np.where(rng.random(n) < 0.8, 1, rng.integers(V, size=n))
    return jumps.cumsum() % V


def trainer_of(model=None, optimizer=None, valid=None, epochs=3, **options):
    model = model or RNNLM(V, 6, cell="lstm", dropout=0.2, dtype=np.float32, rng=0)
    valid = valid or (lambda model: predict(model, text(seed=1)).loss)
    options = {"max_norm": 1.0, "rng": 7} | options
    return Trainer(
        model, optimizer or Adam(0.02), Decay(0.02, after=1), Batches(text(), 4, 8), valid,
        epochs=epochs, **options,
    )  # fmt: skip


def test_training_learns_and_each_batch_is_one_step():
    trainer = trainer_of(epochs=4)
    events = list(trainer.run())
    steps = [e for e in events if isinstance(e, Step)]
    epochs = [e for e in events if isinstance(e, Epoch)]
    assert len(steps) == 4 * len(trainer.batches) and len(epochs) == 4
    assert epochs[-1].valid_loss < epochs[0].valid_loss - 0.3
    assert [e.rate for e in epochs] == [0.02, 0.02, 0.01, 0.005]
    assert steps[-1].share == 1 and steps[0].position == 1


def test_after_many_steps_the_tied_matrix_is_still_one_array_in_float32():
    trainer = trainer_of()
    E = trainer.model.params["E"]
    list(trainer.run())
    assert trainer.model.params["E"] is E
    assert all(x is E for x in trainer.model.embeddings())
    assert {a.dtype for a in trainer.model.params.values()} == {np.dtype(np.float32)}


def test_one_sgd_step_moves_the_tied_matrix_by_the_sum_of_both_paths_once():
    model = RNNLM(V, 5, rng=0)
    before = model.params["E"].copy()
    trainer = trainer_of(model, SGD(0.5), max_norm=None)
    trainer.schedule = Constant(0.5)
    x, y = trainer.batches[0]
    dE_in, dE_out = model.loss_and_grads(x, y).embedding_paths
    trainer.step()
    np.testing.assert_allclose(model.params["E"], before - 0.5 * (dE_in + dE_out), rtol=1e-12)


def test_frozen_rows_stay_bit_for_bit_and_the_others_move():
    model = RNNLM(V, 5, padding_id=0, dtype=np.float32, rng=0)
    model.frozen = {"E": np.array([0, 3]), "c": True}
    before = copy.deepcopy(model.params)
    list(trainer_of(model, Adam(0.02, weight_decay=0.1), epochs=1).run())
    moved = (model.params["E"] != before["E"]).any(axis=1)
    assert moved.tolist() == [row not in (0, 3) for row in range(V)]
    np.testing.assert_array_equal(model.params["c"], before["c"])


def test_frozen_rows_do_not_count_in_the_norm():
    norms = []
    for frozen in ({}, {"E": True}):
        model = RNNLM(V, 5, rng=0)
        model.frozen = frozen
        trainer = trainer_of(model)
        norms.append(trainer.step().norm)
        x, y = trainer.batches[0]
    grads = RNNLM(V, 5, rng=0).loss_and_grads(x, y).grads
    rest = sum((g**2).sum() for name, g in grads.items() if name != "E")
    assert norms[1] == pytest.approx(np.sqrt(rest)) and norms[0] > 1.01 * norms[1]


def test_the_state_is_carried_between_batches_and_zero_at_the_start_of_an_epoch():
    model = RNNLM(V, 5, rng=0)
    seen = []
    inner = model.loss_and_grads

    def spy(x, y, state=None, **options):
        seen.append(state)
        return inner(x, y, state, **options)

    model.loss_and_grads = spy
    trainer = trainer_of(model, epochs=2)
    list(trainer.run())
    n = len(trainer.batches)
    assert [i for i, state in enumerate(seen) if state is None] == [0, n]
    assert all(np.abs(state[0]).max() > 0 for state in seen if state is not None)


def test_the_train_loss_is_the_mean_of_the_epochs_batches():
    losses = []
    trainer = trainer_of(epochs=1)
    inner = trainer.model.loss_and_grads

    def spy(*args, **options):
        result = inner(*args, **options)
        losses.append(result.loss)
        return result

    trainer.model.loss_and_grads = spy
    list(trainer.run())
    assert trainer.history[0].train_loss == pytest.approx(np.mean(losses))
    assert trainer.history[0].tokens == trainer.batches.tokens


def valid_losses(losses):
    given = iter(losses)
    return lambda model: next(given)


def test_training_stops_when_patience_ends_and_keeps_the_best_parameters():
    trainer = trainer_of(valid=valid_losses([3.0, 2.0, 2.5, 2.1, 1.0]), epochs=9, patience=2)
    by_epoch = []
    for event in trainer.run():
        if isinstance(event, Epoch):
            by_epoch.append(copy.deepcopy(trainer.model.params))
    assert len(by_epoch) == 4
    for name, array in trainer.model.params.items():
        np.testing.assert_array_equal(array, by_epoch[1][name])
        assert (array != by_epoch[3][name]).any()


@pytest.mark.parametrize("stop", [1, 11, 12, 13, 30])
def test_a_restored_run_ends_with_the_same_bits(stop, tmp_path):
    whole = trainer_of()
    list(whole.run())
    first = trainer_of()
    events = first.run()
    for _ in range(stop):
        next(events)
    save(tmp_path / "half", first.model, training=first.state())
    second = trainer_of(rng=99)
    second.restore(load_checkpoint(tmp_path / "half").training)
    list(second.run())
    assert second.valid_losses == whole.valid_losses
    assert [e.train_loss for e in second.history] == [e.train_loss for e in whole.history]
    for name, array in whole.model.params.items():
        np.testing.assert_array_equal(second.model.params[name], array)


def test_a_state_is_not_changed_by_training_on():
    trainer = trainer_of()
    for _ in range(3):
        trainer.step()
    state = trainer.state()
    kept = copy.deepcopy(state)
    list(trainer.run())
    trainer.restore(state)
    trainer.step()
    assert state["position"] == kept["position"] == 3
    for part in ("params", "best"):
        for name in kept[part]:
            np.testing.assert_array_equal(state[part][name], kept[part][name])
    np.testing.assert_array_equal(state["carried"][0].h, kept["carried"][0].h)
    np.testing.assert_array_equal(state["optimizer"]["m"]["E"], kept["optimizer"]["m"]["E"])


def test_a_gradient_that_is_not_finite_stops_before_anything_moves():
    model = RNNLM(V, 5, rng=0)
    inner = model.loss_and_grads

    def broken(*args, **options):
        result = inner(*args, **options)
        result.grads["U0"][1, 2] = np.nan
        return result

    trainer = trainer_of(model)
    trainer.step()
    before = copy.deepcopy(model.params)
    model.loss_and_grads = broken
    with pytest.raises(TrainingError, match=r"epoch 1, step 2 of \d+: the gradient of U0 is not"):
        trainer.step()
    for name, array in model.params.items():
        np.testing.assert_array_equal(array, before[name])


def test_a_loss_that_is_not_finite_is_told_without_a_warning():
    model = RNNLM(V, 5, dtype=np.float32, rng=0)
    model.params["c"][0] = np.inf
    with pytest.raises(TrainingError, match=r"step 1 of .*: the loss is nan"):
        trainer_of(model).step()


def test_a_validation_loss_that_is_not_finite_stops_too():
    with pytest.raises(TrainingError, match="epoch 1, step 12 of 12: the validation loss is nan"):
        list(trainer_of(valid=valid_losses([float("nan")])).run())


@pytest.mark.parametrize("rate", [3.0, 1e3, 1e9, 1e38])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("body", ["rnn", "transformer"])
def test_a_rate_that_diverges_stops_naming_the_step_and_a_parameter(body, optimizer, rate):
    kind = {"rnn": RNNLM, "transformer": partial(TransformerLM, n_heads=2, n_layers=1, max_len=8)}
    model = kind[body](V, 6, dtype=np.float32, rng=0)
    trainer = trainer_of(model, OPTIMIZERS[optimizer](rate), max_norm=None)
    trainer.schedule = Constant(rate * (1 if optimizer == "adam" else 30))
    with pytest.raises(TrainingError, match=r"epoch \d+.*\b([EWUbc]\d?|pos|block0\S+)\b.*lower"):
        list(trainer.run())


def test_a_run_that_diverges_never_replaces_a_good_checkpoint(tmp_path):
    trainer = trainer_of(RNNLM(V, 6, dtype=np.float32, rng=0), SGD(1.0))
    trainer.step()
    save(tmp_path / "m", trainer.model, training=trainer.state())
    good = (tmp_path / "m").read_bytes()
    trainer.model.params["E"][0, 0] = np.inf
    with pytest.raises(TrainingError, match="epoch 1, step 2"):
        trainer.step()
    with pytest.raises(TrainingError, match="epoch 1, step 1 of 12: parameter E is not finite"):
        trainer.state()
    with pytest.raises(CheckpointError, match=r"E.*not finite"):
        save(tmp_path / "m", trainer.model)
    assert (tmp_path / "m").read_bytes() == good


@pytest.mark.parametrize("optimizer", [SGD(1.0), Adam(1.0)], ids=["sgd", "adam"])
def test_a_step_that_overflows_is_told_before_anything_is_saved_and_without_a_warning(optimizer):
    trainer = trainer_of(RNNLM(V, 6, dtype=np.float32, rng=0), optimizer)
    trainer.schedule = Constant(1e39)
    trainer.step()
    with pytest.raises(TrainingError, match=r"epoch 1, step 1 of 12: parameter \w+ is not finite"):
        trainer.state()


def test_a_row_that_no_text_needs_must_be_finite_too_at_the_end_of_an_epoch():
    trainer = trainer_of(valid=lambda model: 1.0)
    while trainer.position < len(trainer.batches):
        trainer.step()
    trainer.model.params["E"][3] = np.inf
    with pytest.raises(TrainingError, match="epoch 1, step 12 of 12: parameter E is not finite"):
        trainer.end_epoch()
    assert trainer.history == [] and trainer.best == {}


def with_gradient(trainer, value):
    """The next gradient of U0 is everywhere this value."""
    inner = trainer.model.loss_and_grads

    def large(*args, **options):
        result = inner(*args, **options)
        result.grads["U0"][...] = value
        return result

    trainer.model.loss_and_grads = large
    return trainer


def test_squares_that_overflow_float32_are_clipped_or_told_and_never_a_silent_zero():
    trainer = with_gradient(trainer_of(RNNLM(V, 6, dtype=np.float32, rng=0), SGD(1.0)), 1e25)
    before = trainer.model.params["U0"].copy()
    assert trainer.step().norm == pytest.approx(6e25)
    moved = before - trainer.model.params["U0"]
    np.testing.assert_allclose(moved, trainer.optimizer.rate / 6, rtol=1e-5)
    trainer = with_gradient(trainer_of(RNNLM(V, 6, dtype=np.float32, rng=0), max_norm=None), 1e25)
    trainer.step()
    with pytest.raises(TrainingError, match="the optimizer's v of U0 is not finite"):
        trainer.state()


@pytest.mark.parametrize("size", [1e4, 1e30])
def test_scores_of_any_size_give_a_finite_loss_or_a_named_stop(size):
    for sign in (1, -1):
        model = RNNLM(V, 6, dtype=np.float32, rng=0)
        model.params["c"][:4] = sign * size
        trainer = trainer_of(model, SGD(0.1))
        step = trainer.step()
        assert np.isfinite([step.loss, step.norm]).all() and step.loss < 2 * size
        trainer.state()


def test_a_batch_of_padding_alone_is_refused_in_a_sentence():
    trainer = trainer_of(RNNLM(V, 6, padding_id=0, rng=0))
    trainer.batches = Batches(np.zeros(60, dtype=int), 2, 5)
    with pytest.raises(ValueError, match="padding"):
        trainer.step()
