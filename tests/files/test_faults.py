"""Saving while things fail: the path holds the old file or the new one, whole, and no litter.

The environment variable TINYTIE_KILLS sets how many processes are killed; HYPOTHESIS_PROFILE=long
kills 200.
"""

import errno
import os
import random
import stat
import subprocess
import sys
import time
from builtins import open as real_open

import numpy as np
import pytest

import tinytie
from tinytie import RNNLM, CheckpointError
from tinytie.files import atomic

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
KILLS = int(os.environ.get("TINYTIE_KILLS", 200 if LONG else 5))


def filled(value):
    """A model all of whose numbers are the same, so that two files can never mix unseen."""
    model = RNNLM(5, 2, cell="rnn", rng=0)
    for array in model.params.values():
        array[...] = value
    return model


def value_in(path):
    """The number that fills the model of a file, None where there is no file. It must be whole."""
    if not path.exists():
        return None
    model = tinytie.load(path)
    (value,) = {float(v) for array in model.params.values() for v in array.ravel()}
    return value


def values_in(folder):
    """The numbers of the file and of the one before it; there is nothing else in the folder."""
    assert {*os.listdir(folder)} <= {"model", "model.previous"}
    return value_in(folder / "model"), value_in(folder / "model.previous")


SAVES = """
import errno, os, stat, sys
def refuse(*_):
    raise PermissionError(errno.EACCES, "not on this system")
{lack}
import tinytie
path, *numbers = sys.argv[1:]
model = tinytie.RNNLM(50, 40, rng=0)
for value in range(*map(int, numbers)):
    for array in model.params.values():
        array[...] = value
    tinytie.save(path, model)
    print(value, flush=True)
"""


def saver(path, *numbers, lack=""):
    """A process that saves to `path` one number of this range after the other, and says so."""
    command = [sys.executable, "-c", SAVES.format(lack=lack), str(path), *map(str, numbers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


# --- the N-th operation fails


class Faults:
    """Counts file operations and lets the N-th fail, before or after it has had its effect."""

    def __init__(self, nth, error, late):
        self.left, self.error, self.late = nth, error, late

    def __call__(self, operation, *args, **options):
        self.left -= 1
        if self.left == 0:
            self.failed = operation.__name__
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
        self.name, self.fileno = file.name, file.fileno

    def write(self, data):
        data = memoryview(data).cast("B")
        self.file.write(data[: len(data) // 2])
        self.fault(self.file.write, data[len(data) // 2 :])

    def flush(self):
        self.fault(self.file.flush)

    def read(self, *size):
        return self.fault(self.file.read, *size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.fault(lambda: None)  # a disk that is full may say so only here
        finally:
            self.file.close()


def save_with_fault(path, fault):
    """The error that saving 2 raised, or None."""

    def faulty_open(*args, **options):
        return FaultyFile(fault(real_open, *args, **options), fault)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(atomic, "open", faulty_open, raising=False)
        for name in ("fsync", "replace", "unlink", "open", "close", "listdir"):
            operation = getattr(os, name)
            patch.setattr(os, name, lambda *a, _f=operation, **o: fault(_f, *a, **o))
        try:
            tinytie.save(path, filled(2))
        except (OSError, KeyboardInterrupt) as error:
            return error
    return None


FAULTS = {
    "input/output error": OSError(errno.EIO, "Input/output error"),
    "disk full": OSError(errno.ENOSPC, "No space left on device"),
    "Ctrl-C": KeyboardInterrupt(),
}


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("saves", [0, 1, 2])
@pytest.mark.parametrize("error", FAULTS.values(), ids=FAULTS)
def test_whichever_operation_fails_the_file_is_the_old_or_the_new(tmp_path, error, saves, late):
    old = saves - 1 if saves else None
    seen = []
    for nth in range(1, 100):
        folder = tmp_path / str(nth)
        folder.mkdir()
        for value in range(saves):
            tinytie.save(folder / "model", filled(value))
        fault = Faults(nth, error, late)
        raised = save_with_fault(folder / "model", fault)
        value, previous = values_in(folder)
        assert value in (old, 2) and previous in (None, old, saves - 2)
        if isinstance(raised, OSError):
            assert str(raised) == f"[Errno {error.errno}] {error.strerror}: '{folder / 'model'}'"
        if raised is not None:
            seen.append(value)
        else:
            assert value == 2 and previous == old
            assert fault.left > 0 or fault.failed in ("unlink", "listdir")  # mere tidying up
        if fault.left > 0:
            break
    assert fault.left > 0 and len(seen) > 8
    changed = seen.index(2)  # the place where the new file gets its name
    assert changed > 4 and set(seen[:changed]) == {old} and set(seen[changed:]) == {2}


def test_the_bytes_reach_the_disk_before_the_name_and_the_name_before_the_end(tmp_path):
    path, calls, fsync, replace = tmp_path / "model", [], os.fsync, os.replace
    tinytie.save(path, filled(0))
    size = path.stat().st_size  # which all files of this model have

    def synced(number):
        about = os.fstat(number)
        calls.append("folder" if stat.S_ISDIR(about.st_mode) else about.st_size)
        fsync(number)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", synced)
        patch.setattr(os, "replace", lambda *names: (calls.append("name"), replace(*names)))
        tinytie.save(path, filled(1))
    previous = [size, "name", "folder"]
    assert calls == [size, *previous, "name", "folder"]


# --- systems that lack something

LACKS = {
    "nothing": "",
    "links": "del os.link",
    "locks, as Windows or a browser": "sys.modules['fcntl'] = None",
    "locks on this disk": "import fcntl; fcntl.flock = refuse",
    "folders that open": "opened = os.open; os.open = lambda *a: refuse()",
    "fsync of folders": """
synced = os.fsync
os.fsync = lambda n: refuse() if stat.S_ISDIR(os.fstat(n).st_mode) else synced(n)""",
    "renaming of open files": """
sys.modules['fcntl'] = None
replace = os.replace
def closed_only(old, new):
    for number in os.listdir("/proc/self/fd"):
        if os.path.realpath(f"/proc/self/fd/{number}") in (old, new):
            refuse()
    replace(old, new)
os.replace = closed_only""",
}


@pytest.mark.parametrize("lack", LACKS)
def test_a_system_that_lacks_something_still_keeps_both_files(tmp_path, lack):
    if "renaming" in lack and not os.path.exists("/proc/self/fd"):
        pytest.skip("no list of open files")
    with saver(tmp_path / "model", 3, lack=LACKS[lack]) as process:
        process.communicate()
    assert process.returncode == 0 and values_in(tmp_path) == (2, 1)


# --- a file that was damaged


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "model"
    model = RNNLM(3, 1, dtype="float32", output_bias=False, rng=0)
    tinytie.save(path, model, vocabulary=["a", "b", "c"], training={"m": np.arange(3)})
    return path.read_bytes()


def flipped(whole, place):
    for flip in range(1, 256) if LONG else (0x01, 0x20):
        yield whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :]


DAMAGES = {
    "every single flipped byte": flipped,
    "every truncation": lambda whole, place: [whole[:place]],
    "every byte less": lambda whole, place: [whole[:place] + whole[place + 1 :]],
    "every byte more": lambda whole, place: [whole[:place] + b" " + whole[place:]],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_of_any_kind_at_any_place_is_the_one_error(tmp_path, whole, damage):
    path = tmp_path / "model"
    for place in range(len(whole)):
        for content in DAMAGES[damage](whole, place):
            path.write_bytes(content)
            with pytest.raises(CheckpointError, match="model"):
                tinytie.load_checkpoint(path)


# --- processes that are killed, and processes that meet


def test_a_process_killed_at_any_time_leaves_a_readable_file(tmp_path):
    path = tmp_path / "model"
    rng = random.Random(0)
    for _ in range(KILLS):
        with saver(path, 10**9) as process:
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.03))
            process.kill()
            said = [0, *map(int, process.stdout.read().split())]
        assert value_in(path) in (said[-1], said[-1] + 1)
        value_in(tmp_path / "model.previous")
    for found in tmp_path.glob(".*"):
        os.utime(found, (0, 0))  # an empty one is left alone for a minute
    tinytie.save(path, filled(0))
    assert values_in(tmp_path)[0] == 0


def test_only_what_no_living_process_writes_is_swept_away(tmp_path):
    path, others = tmp_path / "model", {".model.tmp", f".other.{'0' * 16}.tmp", "model.0.tmp"}
    young, old, dead = (f".model.{digit * 16}.tmp" for digit in "123")
    for name in {*others, young, old}:
        (tmp_path / name).touch()
    os.utime(tmp_path / old, (0, 0))
    (tmp_path / dead).write_bytes(b"half")
    with atomic.atomic_file(path) as file:
        file.write(b"slow")
        file.flush()
        living = os.path.basename(file.name)
        with saver(path, 1) as process:
            process.communicate()
        assert process.returncode == 0 and value_in(path) == 0
        assert {*os.listdir(tmp_path)} == {"model", living, young, *others}
    assert path.read_bytes() == b"slow"
    assert {*os.listdir(tmp_path)} == {"model", young, *others}


def test_two_processes_that_save_to_one_path_never_mix(tmp_path):
    path = tmp_path / "model"
    with saver(path, 0, 10**9, 2) as even, saver(path, 1, 10**9, 2) as odd:
        even.stdout.readline(), odd.stdout.readline()
        seen = set()
        while {value % 2 for value in seen} != {0, 1} or len(seen) < 20:
            seen.add(value_in(path))
            assert even.poll() is None and odd.poll() is None
        for process in (even, odd):
            process.kill()
    assert value_in(tmp_path / "model.previous") >= 0
