"""Saving while things fail: the path holds the old file or the new one, whole, and no litter.

The environment variable TINYTIE_KILLS sets how many processes are killed; HYPOTHESIS_PROFILE=long
kills 200.
"""

import errno
import os
import random
import subprocess
import sys
import time
from builtins import open as real_open

import numpy as np
import pytest

import tinytie
from tinytie import RNNLM, CheckpointError
from tinytie.files import atomic, leftovers

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
KILLS = int(os.environ.get("TINYTIE_KILLS", 200 if LONG else 5))


def filled(value):
    """A model all of whose numbers are the same, so that two files can never mix unseen."""
    model = RNNLM(5, 2, cell="rnn", rng=0)
    for array in model.params.values():
        array[...] = value
    return model


def value_in(path):
    """The number that fills the model of a file. The file must be whole."""
    model = tinytie.load(path)
    values = {float(v) for array in model.params.values() for v in array.ravel()}
    assert len(values) == 1
    return values.pop()


# --- the N-th operation fails


class Faults:
    """Counts file operations and lets the N-th fail, before or after it has had its effect."""

    def __init__(self, nth, error, late):
        self.left, self.error, self.late = nth, error, late

    def __call__(self, operation, *args, **options):
        self.left -= 1
        if self.left == 0 and not self.late:
            raise self.error
        result = operation(*args, **options)
        if self.left == 0:
            if hasattr(result, "close"):
                result.close()
            raise self.error
        return result


class FaultyFile:
    """A file whose writes, flushes and closing can fail; a write fails in its middle."""

    def __init__(self, file, fault):
        self.file, self.fault = file, fault

    def write(self, data):
        data = memoryview(data).cast("B")
        self.file.write(data[: len(data) // 2])
        self.fault(self.file.write, data[len(data) // 2 :])

    def flush(self):
        self.fault(self.file.flush)

    def read(self, *size):
        return self.fault(self.file.read, *size)

    def fileno(self):
        return self.file.fileno()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.fault(lambda: None)  # a disk that is full may say so only here
        finally:
            self.file.close()


def patch_operations(patch, fault):
    def faulty_open(*args, **options):
        return FaultyFile(fault(real_open, *args, **options), fault)

    patch.setattr(atomic, "open", faulty_open, raising=False)
    for name in ("fsync", "link", "replace", "unlink", "open", "close"):
        operation = getattr(os, name)
        patch.setattr(os, name, lambda *a, _f=operation, **o: fault(_f, *a, **o))


def no_links(*_):
    raise OSError(errno.EPERM, "no hard links here")


def replaced_meanwhile(*_):
    raise FileNotFoundError(errno.ENOENT, "the file just lost this name to a newer one")


def save_with_faults(path, nth, error, late, links):
    """Whether the save came through; False where it raised the planted error."""
    with pytest.MonkeyPatch.context() as patch:
        if links is not None:
            patch.setattr(os, "link", links)
        patch_operations(patch, Faults(nth, error, late))
        try:
            tinytie.save(path, filled(2))
        except (OSError, KeyboardInterrupt) as raised:
            assert type(raised) is type(error) and raised.args[:1] == error.args[:1]
            return False
    return True


FAULTS = {
    "input/output error": OSError(errno.EIO, "Input/output error"),
    "disk full": OSError(errno.ENOSPC, "No space left on device"),
    "Ctrl-C": KeyboardInterrupt(),
}


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    "links", [None, no_links, replaced_meanwhile], ids=["links", "no links", "race"]
)
@pytest.mark.parametrize("saves", [0, 1, 2])
@pytest.mark.parametrize("error", FAULTS.values(), ids=FAULTS)
def test_whichever_operation_fails_the_file_is_the_old_or_the_new(
    tmp_path, error, saves, links, late
):
    outcomes = []
    for nth in range(1, 100):
        folder = tmp_path / str(nth)
        folder.mkdir()
        path, previous = folder / "model", folder / "model.previous"
        for value in range(saves):
            tinytie.save(path, filled(value))
        came_through = save_with_faults(path, nth, error, late, links)
        assert set(os.listdir(folder)) <= {"model", "model.previous"}
        assert not previous.exists() or value_in(previous) in (saves - 2, saves - 1)
        outcomes.append(value_in(path) if path.exists() else None)
        assert outcomes[-1] in (2, saves - 1 if saves else None)
        if came_through:
            break
    else:
        pytest.fail("the save never came through")
    assert came_through and outcomes[-1] == 2
    assert len(outcomes) > 8 and outcomes[0] != 2


def test_a_save_cut_off_before_the_rename_does_not_lead_to_litter_in_the_next(tmp_path):
    path = tmp_path / "model"
    tinytie.save(path, filled(0))
    os.link(path, tmp_path / "model.previous")  # as far as a killed save may have got
    tinytie.save(path, filled(1))
    assert sorted(os.listdir(tmp_path)) == ["model", "model.previous"]
    assert (value_in(path), value_in(tmp_path / "model.previous")) == (1, 0)


def test_the_bytes_reach_the_disk_before_the_name_and_the_name_before_the_end(tmp_path):
    calls = []

    def note(operation, *args, **options):
        calls.append(operation.__name__)
        return operation(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        for name in ("fsync", "replace"):
            operation = getattr(os, name)
            patch.setattr(os, name, lambda *a, _f=operation, **o: note(_f, *a, **o))
        tinytie.save(tmp_path / "model", filled(0))
    assert calls == ["fsync", "replace", "fsync"]


# --- a file that was damaged


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "model"
    model = RNNLM(3, 1, dtype="float32", output_bias=False, rng=0)
    tinytie.save(path, model, vocabulary=["a", "b", "c"], training={"m": np.arange(3)})
    return path.read_bytes()


@pytest.mark.parametrize("flip", range(1, 256) if LONG else [0x01, 0x20])
def test_every_single_flipped_byte_is_the_one_error(tmp_path, whole, flip):
    path, damaged = tmp_path / "model", bytearray(whole)
    for place in range(len(whole)):
        damaged[place] ^= flip
        path.write_bytes(damaged)
        damaged[place] ^= flip
        with pytest.raises(CheckpointError, match="model"):
            tinytie.load_checkpoint(path)


def test_every_truncation_is_the_one_error(tmp_path, whole):
    path = tmp_path / "model"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(CheckpointError, match="model"):
            tinytie.load_checkpoint(path)


def test_every_byte_more_or_less_inside_is_the_one_error(tmp_path, whole):
    path = tmp_path / "model"
    for place in range(0, len(whole), 3):
        for damaged in (whole[:place] + whole[place + 1 :], whole[:place] + b" " + whole[place:]):
            path.write_bytes(damaged)
            with pytest.raises(CheckpointError):
                tinytie.load_checkpoint(path)


# --- processes that are killed, and processes that meet

SAVE_FOR_EVER = """
import itertools, sys
import tinytie
path, first, step = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = tinytie.RNNLM(50, 40, rng=0)
for value in itertools.count(first, step):
    for array in model.params.values():
        array[...] = value
    tinytie.save(path, model)
    print(value, flush=True)
"""


SAVE_ONCE = """
import sys
import tinytie
tinytie.save(sys.argv[1], tinytie.RNNLM(5, 2, rng=0))
"""


def saver(path, first=0, step=1):
    command = [sys.executable, "-c", SAVE_FOR_EVER, str(path), str(first), str(step)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_process_killed_at_any_time_leaves_a_readable_file(tmp_path):
    path = tmp_path / "model"
    rng = random.Random(0)
    for _ in range(KILLS):
        with saver(path) as process:
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.03))
            process.kill()
            said = [0, *map(int, process.stdout.read().split())]
        assert value_in(path) in (said[-1], said[-1] + 1)
        previous = tmp_path / "model.previous"
        assert not previous.exists() or value_in(previous) >= 0
    tinytie.save(path, filled(0))
    assert sorted(os.listdir(tmp_path)) == ["model", "model.previous"]


def test_only_what_no_living_process_writes_is_swept_away(tmp_path):
    path, others = tmp_path / "model", [".model.tmp", f".other.{'0' * 16}.tmp", "model.0.tmp"]
    dead = [f".model.{'0' * 16}.tmp", f".model.{'1' * 16}.tmp", f".model.{'1' * 16}.tmp.link"]
    for name in others + dead:
        (tmp_path / name).touch()
    with atomic.atomic_file(path) as file:
        file.write(b"slow")
        (living,) = set(os.listdir(tmp_path)) - set(others)
        subprocess.run([sys.executable, "-c", SAVE_ONCE, str(path)], check=True)
        assert set(os.listdir(tmp_path)) == {"model", living, *others}
    assert path.read_bytes() == b"slow"
    assert set(os.listdir(tmp_path)) == {"model", *others}


def test_a_file_swept_away_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    fresh = iter([lambda file: leftovers.sweep(tmp_path / "model"), lambda file: None])

    def late(file):
        next(fresh)(file)
        return leftovers.locked(file)

    monkeypatch.setattr(atomic, "locked", late)
    tinytie.save(tmp_path / "model", filled(3))
    assert value_in(tmp_path / "model") == 3 and os.listdir(tmp_path) == ["model"]
    assert next(fresh, None) is None


def test_two_processes_that_save_to_one_path_never_mix(tmp_path):
    path = tmp_path / "model"
    with saver(path, 0, 2) as even, saver(path, 1, 2) as odd:
        even.stdout.readline(), odd.stdout.readline()
        seen = set()
        while {value % 2 for value in seen} != {0, 1} or len(seen) < 20:
            seen.add(value_in(path))
            assert even.poll() is None and odd.poll() is None
        for process in (even, odd):
            process.kill()
    assert value_in(tmp_path / "model.previous") >= 0
