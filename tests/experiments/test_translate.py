"""The translation task: fair arms, and runs that can be stopped and go on."""

import math

import numpy as np
import pytest

from tinytie.experiments.engine import Run, Stopped, train
from tinytie.experiments.translate import (
    TeacherForced,
    TranslationJob,
    TranslationOptions,
    jobs_of,
    number_texts,
    prepare,
)
from tinytie.experiments.workers import run_all
from tinytie.files.checkpoint import load_checkpoint
from tinytie.models.translator import TYINGS
from tinytie.training.trainer import Epoch, TrainingError

SMALL = TranslationOptions(merges=60, width=8, epochs=2, batch_size=8, dropout=0.2)
DATA = prepare(number_texts(train=40, held_out=6), SMALL.merges)


def test_the_numbers_to_test_on_are_never_trained_on():
    train, valid, test = number_texts(seed=5, train=300, held_out=40)
    assert (len(train), len(valid), len(test)) == (300, 40, 40)
    assert len({*train, *valid, *test}) == 380


def job(folder, tying="three-way", data=DATA, **options):
    return TranslationJob(
        label=tying, data=data, options=SMALL.changed(**options),
        path=folder / f"{tying}.safetensors", resume=True,
    )  # fmt: skip


def equal(one, other):
    """The same losses and the same parameters, to the bit."""
    losses = [[epoch.valid_loss for epoch in run.history] for run in (one, other)]
    return losses[0] == losses[1] and all(
        np.array_equal(array, other.model.params[name]) for name, array in one.model.params.items()
    )


def test_every_tying_is_trained_and_judged_whatever_the_number_of_processes(tmp_path):
    events = []
    jobs = jobs_of(SMALL, DATA, tmp_path)
    runs = run_all(jobs, 2, lambda i, event: events.append((i, event)))
    assert [run.model.tying for run in runs] == list(TYINGS)
    assert [len(run.model.embedding_names) for run in runs] == [3, 2, 1]
    sizes = [sum(a.size for a in run.model.params.values()) for run in runs]
    assert np.diff(sizes).tolist() == [-DATA.bpe.vocab_size * SMALL.width] * 2
    for i, run in enumerate(runs):
        heard = [event for j, event in events if j == i]
        assert isinstance(heard[-1], Run)
        assert sum(isinstance(event, Epoch) for event in heard) == SMALL.epochs
        saved = load_checkpoint(tmp_path / f"{run.model.tying}.safetensors").model
        assert saved.tying == run.model.tying
        assert all(np.array_equal(saved.params[n], a) for n, a in run.model.params.items())
    assert equal(train(job(tmp_path / "alone")), runs[-1])


@pytest.mark.parametrize("stop_after", [3, 6, 8])
def test_a_stopped_run_goes_on_to_the_same_bits(tmp_path, stop_after):
    whole = train(job(tmp_path / "whole"))
    heard = []

    def stop(event):
        heard.append(event)
        if len(heard) == stop_after:
            raise Stopped

    with pytest.raises(Stopped):
        train(job(tmp_path / "stopped"), stop)
    after = []
    assert equal(whole, train(job(tmp_path / "stopped"), after.append))
    assert len(after) == 12 - stop_after  # 2 epochs of 5 steps, and a report after each epoch


def test_a_finished_run_is_only_judged_again(tmp_path):
    first = train(job(tmp_path))
    heard = []
    second = train(job(tmp_path), heard.append)
    assert heard == []
    assert equal(first, second)
    assert first.found == second.found


def test_a_run_of_something_else_is_not_gone_on_with(tmp_path):
    train(job(tmp_path))
    with pytest.raises(ValueError, match="a run with another rate; "):
        train(job(tmp_path, rate=0.1))
    other = prepare(number_texts(seed=1, train=40, held_out=6), SMALL.merges)
    with pytest.raises(ValueError, match="a run with another text; "):
        train(job(tmp_path, data=other))


def test_a_loss_that_is_not_finite_names_the_tying(tmp_path):
    with pytest.raises(TrainingError, match=r"three-way: epoch 1, step 2 of 5"):
        train(job(tmp_path, rate=math.nan))


def test_the_trainer_counts_words_and_no_padding():
    batches = TeacherForced(DATA.train, 8, 0)
    words = sum(y.size for _, y in batches)
    assert words == sum(len(pair.target) - 1 for pair in DATA.train)


def test_both_languages_share_some_subwords_but_not_all():
    assert 0 < DATA.shared < 1
