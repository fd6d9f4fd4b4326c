"""Stopped in the middle of an epoch and resumed in a new process: the same bits at the end."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from tinytie import RNNLM, TransformerLM, load_checkpoint, save
from tinytie.measure.perplexity import predict
from tinytie.text.batches import Batches
from tinytie.training.optimizers import SGD, Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Trainer

STREAM = np.random.default_rng(3).integers(7, size=200)
STOP = 13  # steps, of 8 an epoch


def model_of(kind):
    if kind == "transformer":
        return TransformerLM(7, 4, 2, 1, 6, dropout=0.3, dtype=np.float32, rng=0)
    return RNNLM(7, 4, cell=kind, n_layers=2, dropout=0.3, dtype=np.float32, rng=0)


def trainer_of(kind, rule):
    optimizer = Adam(0.01) if rule == "adam" else SGD(0.1)
    return Trainer(
        model_of(kind), optimizer, Constant(optimizer.rate), Batches(STREAM, 4, 6),
        lambda model: predict(model, STREAM[:50]).loss, epochs=3, max_norm=1.0, rng=5,
    )  # fmt: skip


def digest(trainer):
    """The end of a run in one number: parameters, and every loss on the way."""
    found = hashlib.sha256(repr([(e.train_loss, e.valid_loss) for e in trainer.history]).encode())
    for name, array in sorted(trainer.model.params.items()):
        found.update(name.encode() + array.tobytes())
    return found.hexdigest()


CASES = [(kind, rule) for kind in ("rnn", "lstm", "transformer") for rule in ("sgd", "adam")]


def finish(folder):
    """In the new process: a line for each case."""
    for kind, rule in CASES:
        trainer = trainer_of(kind, rule)
        trainer.restore(load_checkpoint(f"{folder}/{kind}-{rule}").training)
        list(trainer.run())
        print(digest(trainer))


@pytest.fixture(scope="module")
def resumed(tmp_path_factory):
    """What a new process makes of every run that was stopped, by case."""
    folder = tmp_path_factory.mktemp("stopped")
    for kind, rule in CASES:
        trainer = trainer_of(kind, rule)
        events = trainer.run()
        while trainer.epoch * len(trainer.batches) + trainer.position < STOP:
            next(events)
        assert 0 < trainer.position < len(trainer.batches)
        save(folder / f"{kind}-{rule}", trainer.model, training=trainer.state())
    command = [sys.executable, __file__, str(folder)]
    out = subprocess.run(command, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    return dict(zip(CASES, out.stdout.split(), strict=True))


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_a_run_that_goes_on_in_a_new_process_ends_with_the_same_bits(case, resumed):
    whole = trainer_of(*case)
    list(whole.run())
    assert resumed[case] == digest(whole)


if __name__ == "__main__":
    finish(sys.argv[1])
