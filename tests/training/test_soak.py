"""A thousand tiny trainings in one process take no more memory and open no more files.

Part of the long profile only: HYPOTHESIS_PROFILE=long.
"""

import gc
import os
import tracemalloc

import numpy as np
import pytest

from tinytie import RNNLM, load_checkpoint, save
from tinytie.text.batches import Batches
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Constant
from tinytie.training.trainer import Trainer

RUNS, WARM_UP = 1000, 100
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def one_training(path, seed):
    """Train, save, load."""
    stream = np.random.default_rng(seed).integers(9, size=60)
    model = RNNLM(9, 4, cell="lstm", dropout=0.1, dtype=np.float32, rng=seed)
    trainer = Trainer(model, Adam(0.01), Constant(0.01), Batches(stream, 2, 5),
                      lambda model: model.loss(stream[None, :-1], stream[None, 1:])[0],
                      epochs=1, rng=seed)  # fmt: skip
    list(trainer.run())
    save(path, model, training=trainer.state())
    load_checkpoint(path)


def held():
    """Bytes that Python and NumPy hold, and open files."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0], len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not LONG, reason="part of the long profile")
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_a_thousand_trainings_leave_nothing_behind(tmp_path):
    tracemalloc.start()
    try:
        for seed in range(RUNS):
            one_training(tmp_path / "m", seed)
            if seed == WARM_UP:
                before = held()
        after = held()
    finally:
        tracemalloc.stop()
    assert after[1] == before[1]
    assert after[0] - before[0] < 100_000
    assert sorted(os.listdir(tmp_path)) == ["m", "m.previous"]
