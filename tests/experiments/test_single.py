"""A run that is kept: stopped by any signal and resumed to the same bytes, safe on a full disk."""

import errno
import os
import tempfile
from functools import partial

import numpy as np
import pytest

from tinytie import load_checkpoint
from tinytie.experiments import engine
from tinytie.experiments.compare import LanguageOptions
from tinytie.experiments.engine import SIGNALS, Stopped, train_here
from tinytie.experiments.single import SingleJob, arguments_in
from tinytie.text.corpora import Corpus
from tinytie.text.vocabulary import Vocabulary
from tinytie.training.trainer import Epoch

WORDS = ["<unk>", "<eos>", *"abcdefgh"]
IDS = np.random.default_rng(0).integers(len(WORDS), size=400)
CORPUS = Corpus("toy", Vocabulary(WORDS), "space", IDS, IDS[:60], IDS[60:120])
OPTIONS = LanguageOptions(width=4, batch_size=4, steps=5, epochs=2, cell="lstm")


def job(path, **options):
    said = []
    made = SingleJob(
        label="toy", options=OPTIONS, data=CORPUS, tied=True, path=path, say=said.append,
        arguments={"cell": "lstm"}, **options,
    )  # fmt: skip
    return made, said


def at(n, act):
    """A listener that acts on event n."""
    count = iter(range(10**6))
    return lambda event: act() if next(count) == n else None


def finished(path, **options):
    made, _ = job(path, **options)
    train_here(made)
    return path.read_bytes()


def no_room(*args, **options):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("n", [3, 19, 25])
def test_stopped_by_a_signal_and_resumed_it_ends_with_the_same_bytes(number, n, tmp_path):
    path = tmp_path / "m"
    with pytest.raises(Stopped, match=f"saved in {path}; `tinytie train --resume {path}` goes on"):
        train_here(job(path)[0], at(n, partial(os.kill, os.getpid(), number)))
    assert arguments_in(path) == {"cell": "lstm"}
    assert finished(path, resume=True) == finished(tmp_path / "whole")
    history = load_checkpoint(path).training["history"]
    assert [epoch["epoch"] for epoch in history] == [0, 1] and history[1]["valid_loss"] < 3
    with pytest.raises(ValueError, match="holds a finished model"):
        arguments_in(path)


def test_a_terminal_that_is_gone_stops_the_run_which_is_saved(tmp_path):
    with pytest.raises(Stopped, match="saved in"):
        train_here(job(tmp_path / "m")[0], at(5, no_room))
    assert finished(tmp_path / "m", resume=True) == finished(tmp_path / "whole")


def test_what_was_there_before_the_run_stays_beside_it(tmp_path):
    (tmp_path / "m").write_bytes(b"an older model")
    finished(tmp_path / "m", save_minutes=0)
    assert (tmp_path / "m.previous").read_bytes() == b"an older model"


def test_a_disk_that_is_full_on_the_way_is_told_and_the_run_goes_on(tmp_path, monkeypatch):
    made, said = job(tmp_path / "m")
    save, full = engine.save, [no_room]
    monkeypatch.setattr(engine, "save", lambda *a, **k: (full.pop() if full else save)(*a, **k))
    train_here(made)
    assert said == ["not saved (No space left on device); the run goes on"]
    assert (tmp_path / "m").read_bytes() == finished(tmp_path / "whole")


@pytest.mark.parametrize("room", ["in the temporary folder", "after the person made some"])
def test_a_disk_that_is_full_at_the_end_loses_nothing(room, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(temporary))
    asked, save = [], engine.save

    def full(path, *args, **options):
        there = path.parent == temporary and room == "in the temporary folder"
        return (save if there or asked else no_room)(path, *args, **options)

    monkeypatch.setattr(engine, "save", full)
    made, said = job(tmp_path / "m", ask=asked.append, save_epochs=False)
    run = train_here(made)
    assert "No space left on device" in said[0]
    assert made.path.parent == (temporary if room == "in the temporary folder" else tmp_path)
    kept = load_checkpoint(made.path).model.params
    assert all(np.array_equal(kept[name], run.model.params[name]) for name in kept)
    assert ("still in memory" in "".join(asked)) == (room != "in the temporary folder")


def test_nobody_to_ask_and_nowhere_to_save_is_an_error_that_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "save", no_room)
    with pytest.raises(OSError, match="No space left"):
        train_here(job(tmp_path / "m", save_epochs=False)[0])


def test_another_text_is_not_resumed(tmp_path):
    made, _ = job(tmp_path / "m")
    with pytest.raises(Stopped):
        train_here(made, at(5, no_room))
    other, _ = job(tmp_path / "m", resume=True)
    other.data = CORPUS._replace(train=IDS[::-1])
    with pytest.raises(ValueError, match="another text"):
        train_here(other)


def test_it_may_go_on_for_longer(tmp_path):
    longer = OPTIONS.changed(epochs=3)
    made, _ = job(tmp_path / "m")
    epochs = []
    with pytest.raises(Stopped):
        train_here(made, at(25, no_room))
    again, _ = job(tmp_path / "m", resume=True)
    again.options = longer
    train_here(again, lambda event: epochs.append(event) if isinstance(event, Epoch) else None)
    whole, _ = job(tmp_path / "whole")
    whole.options = longer
    train_here(whole)
    assert len(epochs) == 2  # the second and the third
    mine, other = (load_checkpoint(made.path).model.params for made in (again, whole))
    assert all(np.array_equal(mine[name], other[name]) for name in mine)
