"""Long runs are safe: stopped, killed, resumed, finished, or gone wrong."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import tinytie
from tinytie.experiments.engine import Job, Stopped
from tinytie.experiments.recipes.inan import INAN
from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.experiments.recipes.run import finish, row_job
from tinytie.training.trainer import Epoch, Step, TrainingError


def row(corpus, settings, folder, name="wt+pr", recipe=PRESS_WOLF, **how):
    return row_job(recipe, recipe.rows[name], corpus, settings, folder, **how)


def without_seconds(record):
    """A record but for what no two runs share."""
    kept = {name: value for name, value in record.items() if name != "seconds"}
    kept["epochs"] = [{k: v for k, v in e.items() if k != "seconds"} for e in record["epochs"]]
    return kept


def stop_at(epoch, position):
    """A Ctrl-C in this step."""

    def listen(event):
        if isinstance(event, Step) and event[:2] == (epoch, position):
            os.kill(os.getpid(), signal.SIGINT)

    return listen


def same_model(first, second):
    a, b = tinytie.load(first).params, tinytie.load(second).params
    return a.keys() == b.keys() and all((a[name] == b[name]).all() for name in a)


@pytest.mark.parametrize("recipe, name", [(PRESS_WOLF, "wt+pr"), (INAN, "real")])
def test_stopped_in_an_epoch_and_resumed_equals_never_stopped(recipe, name, corpus, tmp_path):
    settings = recipe.settings.changed(width=6, epochs=3)
    how = {"name": name, "recipe": recipe, "paths_every": 3}
    whole = row(corpus, settings, tmp_path / "whole", **how)
    expected = without_seconds(finish(whole))
    for place in ((0, 2), (1, 1)):
        job = row(corpus, settings, tmp_path / "parts", resume=True, **how)
        with pytest.raises(Stopped, match=r"saved in .*safetensors"):
            finish(job, stop_at(*place))
        saved = tinytie.load_checkpoint(job.path).training["trainer"]
        assert (len(saved["history"]), saved["position"]) == place
    events = []
    job = row(corpus, settings, tmp_path / "parts", resume=True, **how)
    assert without_seconds(finish(job, events.append)) == expected
    assert events[0][:2] == (1, 2)  # it went on with the next step
    assert same_model(whole.path, job.path)
    assert len(expected["paths"]) > 3


KILLED = """
import os, pathlib, signal, sys
from tinytie.text.treebank import treebank_corpus
from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.experiments.recipes.run import finish, row_job

def listen(event):
    if event[:2] == (1, 3):
        os.kill(os.getpid(), signal.SIGKILL)

settings = PRESS_WOLF.settings.changed(width=6, epochs=2)
corpus, folder = treebank_corpus(sys.argv[1]), pathlib.Path(sys.argv[2])
row = PRESS_WOLF.rows["wt+pr"]
finish(row_job(PRESS_WOLF, row, corpus, settings, folder, save_minutes=0), listen)
"""


def test_killed_and_resumed_in_another_process_equals_never_killed(folder, corpus, small, tmp_path):
    command = [sys.executable, "-c", KILLED, str(folder), str(tmp_path / "killed")]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    killed = row(corpus, small, tmp_path / "killed", resume=True)
    saved = tinytie.load_checkpoint(killed.path).training["trainer"]
    assert (len(saved["history"]), saved["position"]) == (1, 2)
    whole = row(corpus, small, tmp_path / "whole")
    assert without_seconds(finish(killed)) == without_seconds(finish(whole))
    assert killed.path.read_bytes() == whole.path.read_bytes()


def test_a_finished_row_is_read_from_its_record(corpus, small, tmp_path):
    record = finish(row(corpus, small, tmp_path))

    def never(event):
        raise AssertionError("trained again")

    assert finish(row(corpus, small, tmp_path), never) == record


def test_the_record_says_what_the_saved_model_reaches(corpus, small, tmp_path):
    job = row(corpus, small, tmp_path)
    record = finish(job)
    kept = tinytie.load_checkpoint(job.path)
    assert (kept.vocabulary, kept.training) == (corpus.vocabulary.words, None)
    nats = state = 0
    for i in range(len(corpus.test) - 1):  # one row, a word at a time
        ids = corpus.test[None, i : i + 2]
        loss, state = kept.model.loss(ids[:, :1], ids[:, 1:], state or None)
        nats += loss
    assert record["test"] == pytest.approx(np.exp(nats / (len(corpus.test) - 1)), rel=1e-5)
    assert record["valid"] == record["epochs"][-1]["valid"]
    assert record["parameters"] == sum(a.size for a in kept.model.params.values())


def test_the_last_epoch_counts_in_one_recipe_and_the_best_in_the_other(corpus, small, tmp_path):
    last, best = (
        finish(row(corpus, small.changed(max_norm=1e9, keep_best=keep), tmp_path / str(keep), "wt"))
        for keep in (False, True)
    )
    valid = [epoch["valid"] for epoch in last["epochs"]]
    assert valid[0] < valid[1]  # such a rate makes it worse in the end
    assert (last["valid"], best["valid"]) == (valid[-1], min(valid))
    assert best["test"] != last["test"]


@pytest.mark.parametrize("keep_best", [True, False])
def test_killed_between_the_record_and_the_finished_model(keep_best, corpus, small, tmp_path):
    settings = small.changed(max_norm=1e9, keep_best=keep_best)
    whole = row(corpus, settings, tmp_path / "whole")
    finish(whole)
    job = row(corpus, settings, tmp_path / "parts")
    write = Job.write
    with pytest.MonkeyPatch.context() as patch:  # killed just before the finished model is written
        patch.setattr(Job, "write", lambda job, model, state: state and write(job, model, state))
        finish(job)
    assert tinytie.load_checkpoint(job.path).training is not None
    again = row(corpus, settings, tmp_path / "parts", resume=True)
    assert finish(again) == json.loads(job.record.read_text())
    assert job.path.read_bytes() == whole.path.read_bytes()


def test_an_unfinished_run_is_not_begun_again_unasked(corpus, small, tmp_path):
    job = row(corpus, small, tmp_path)
    with pytest.raises(Stopped):
        finish(job, stop_at(0, 1))
    before = job.path.read_bytes()
    with pytest.raises(ValueError, match="add --resume"):
        finish(row(corpus, small, tmp_path))
    assert job.path.read_bytes() == before


@pytest.mark.parametrize("finished", [True, False], ids=["finished", "unfinished"])
def test_a_run_with_other_settings_or_another_text_is_not_mixed_in(
    corpus, small, tmp_path, finished
):
    if finished:
        finish(row(corpus, small, tmp_path))
    else:
        with pytest.raises(Stopped):
            finish(row(corpus, small, tmp_path), stop_at(0, 1))
    with pytest.raises(ValueError, match="another rate, seed; "):
        finish(row(corpus, small.changed(seed=1, rate=0.5), tmp_path, resume=True))
    with pytest.raises(ValueError, match="another text; "):
        finish(row(corpus._replace(test=corpus.test[::-1]), small, tmp_path, resume=True))


def test_what_an_older_version_did_not_know_of_counts_as_the_default(corpus, small, tmp_path):
    job = row(corpus, small, tmp_path)
    record = finish(job)
    del record["settings"]["optimizer"], record["settings"]["patience"]
    job.record.write_text(json.dumps(record))
    assert finish(row(corpus, small, tmp_path)) == record
    with pytest.raises(ValueError, match="another optimizer; "):
        finish(row(corpus, small.changed(optimizer="adam"), tmp_path))


def test_a_number_that_is_not_finite_stops_with_the_step_and_the_last_good_checkpoint(
    corpus, small, tmp_path, monkeypatch
):
    job = row(corpus, small, tmp_path)
    made, build = [], job.build
    monkeypatch.setattr(job, "build", lambda: made.append(build()) or made[0])

    def spoil(event):
        if event[:2] == (1, 2):
            made[0][0].params["E"][:] = np.nan

    with pytest.raises(
        TrainingError, match=r"row wt\+pr: epoch 2, step 3 of \d+: .* is .*last good"
    ):
        finish(job, spoil)
    assert np.isfinite(tinytie.load(job.path).params["E"]).all()
    assert finish(row(corpus, small, tmp_path, resume=True))["valid"] > 1


def test_before_any_checkpoint_the_error_says_that_there_is_none(corpus, small, tmp_path):
    with pytest.raises(TrainingError, match=r"step 1 of .*there is no checkpoint yet"):
        finish(row(corpus, small.changed(bound=1e30), tmp_path))


def test_it_is_saved_after_every_epoch_and_as_often_as_asked(corpus, small, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(Job, "write", lambda job, model, state: seen.append("save"))
    finish(row(corpus, small, tmp_path, save_minutes=60), lambda event: seen.append(type(event)))
    assert seen.count("save") == small.epochs + 1  # and the finished model
    assert all(seen[i + 1] == "save" for i, kind in enumerate(seen) if kind is Epoch)


def test_a_record_that_is_no_record_is_named(corpus, small, tmp_path):
    job = row(corpus, small, tmp_path)
    job.record.write_text(json.dumps({"row": "wt+pr"}))
    with pytest.raises(ValueError, match="not the record of a finished row"):
        finish(job)


def test_a_finished_model_without_its_record_is_not_overwritten(corpus, small, tmp_path):
    job = row(corpus, small, tmp_path)
    finish(job)
    job.record.unlink()
    before = job.path.read_bytes()
    with pytest.raises(ValueError, match="is a finished model, but"):
        finish(row(corpus, small, tmp_path, resume=True))
    assert job.path.read_bytes() == before
