"""Long runs are safe: stopped, killed, resumed, finished, or gone wrong."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import tinytie
from tinytie.experiments.recipes.inan import INAN
from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.experiments.recipes.run import Run, Stopped
from tinytie.training.trainer import Epoch, Step, TrainingError

WT_PR = PRESS_WOLF.rows["wt+pr"]


def without_seconds(record):
    """A record but for what no two runs share."""
    kept = {name: value for name, value in record.items() if name != "seconds"}
    kept["epochs"] = [{k: v for k, v in e.items() if k != "seconds"} for e in record["epochs"]]
    return kept


def stop_at(epoch, position):
    """A Ctrl-C after this step."""

    def watch(run, event):
        if isinstance(event, Step) and event[:2] == (epoch, position):
            os.kill(os.getpid(), signal.SIGINT)

    return watch


def same_model(first, second):
    a, b = tinytie.load(first).params, tinytie.load(second).params
    return a.keys() == b.keys() and all((a[name] == b[name]).all() for name in a)


@pytest.mark.parametrize("recipe, name", [(PRESS_WOLF, "wt+pr"), (INAN, "real")])
def test_stopped_in_an_epoch_and_resumed_equals_never_stopped(recipe, name, corpus, tmp_path):
    settings = recipe.settings._replace(width=6, epochs=3)
    row = recipe.rows[name]
    whole = Run(recipe, row, corpus, settings, tmp_path / "whole", paths_every=3)
    expected = without_seconds(whole.finish())
    for place in ((0, 2), (1, 1)):
        run = Run(recipe, row, corpus, settings, tmp_path / "parts", paths_every=3)
        with pytest.raises(Stopped, match=r"saved in .*safetensors"):
            run.finish(resume=True, watch=stop_at(*place))
        saved = tinytie.load_checkpoint(run.checkpoint).training["trainer"]
        assert (len(saved["history"]), saved["position"]) == place
    run = Run(recipe, row, corpus, settings, tmp_path / "parts", paths_every=3)
    events = []
    assert without_seconds(run.finish(True, lambda _, event: events.append(event))) == expected
    assert events[0][:2] == (1, 2)  # it went on with the next step
    assert same_model(whole.checkpoint, run.checkpoint)
    assert len(expected["paths"]) > 3


KILLED = """
import os, pathlib, signal, sys
from tinytie.text.treebank import treebank_corpus
from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.experiments.recipes.run import Run

def watch(run, event):
    if event[:2] == (1, 3):
        os.kill(os.getpid(), signal.SIGKILL)

settings = PRESS_WOLF.settings._replace(width=6, epochs=2)
row = PRESS_WOLF.rows["wt+pr"]
corpus = treebank_corpus(sys.argv[1])
folder = pathlib.Path(sys.argv[2])
Run(PRESS_WOLF, row, corpus, settings, folder, save_minutes=0).finish(watch=watch)
"""


def test_killed_and_resumed_in_another_process_equals_never_killed(folder, corpus, small, tmp_path):
    command = [sys.executable, "-c", KILLED, str(folder), str(tmp_path / "killed")]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    killed = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path / "killed")
    saved = tinytie.load_checkpoint(killed.checkpoint).training["trainer"]
    assert (len(saved["history"]), saved["position"]) == (1, 2)
    record = killed.finish(resume=True)
    whole = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path / "whole")
    assert without_seconds(record) == without_seconds(whole.finish())
    assert same_model(whole.checkpoint, killed.checkpoint)


def test_a_finished_row_is_read_from_its_record(corpus, small, tmp_path):
    record = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path).finish()

    def never(run, event):
        raise AssertionError("trained again")

    assert Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path).finish(watch=never) == record


def test_the_record_says_what_the_saved_model_reaches(corpus, small, tmp_path):
    run = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path)
    record = run.finish()
    kept = tinytie.load_checkpoint(run.checkpoint)
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
    runs = {}
    for keep_best in (False, True):
        settings = small._replace(epochs=2, rate=1.0, max_norm=1e9, keep_best=keep_best)
        run = Run(PRESS_WOLF, PRESS_WOLF.rows["wt"], corpus, settings, tmp_path / str(keep_best))
        runs[keep_best] = run.finish()
    valid = [epoch["valid"] for epoch in runs[False]["epochs"]]
    assert valid[0] < valid[1]  # such a rate makes it worse in the end
    assert (runs[False]["valid"], runs[True]["valid"]) == (valid[-1], min(valid))
    assert runs[True]["test"] != runs[False]["test"]


@pytest.mark.parametrize("keep_best", [True, False])
def test_killed_between_the_record_and_the_finished_model(keep_best, corpus, small, tmp_path):
    settings = small._replace(rate=1.0, max_norm=1e9, keep_best=keep_best)
    whole = Run(PRESS_WOLF, WT_PR, corpus, settings, tmp_path / "whole")
    whole.finish()
    run = Run(PRESS_WOLF, WT_PR, corpus, settings, tmp_path / "parts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "write_model", only_while_training(Run.write_model))
        run.finish()
    assert tinytie.load_checkpoint(run.checkpoint).training is not None
    again = Run(PRESS_WOLF, WT_PR, corpus, settings, tmp_path / "parts")
    assert again.finish(resume=True) == json.loads(run.record.read_text())
    assert run.checkpoint.read_bytes() == whole.checkpoint.read_bytes()


def only_while_training(write):
    """As if killed just before the finished model is written."""
    return lambda run, training: None if training is None else write(run, training)


def test_an_unfinished_run_is_not_begun_again_unasked(corpus, small, tmp_path):
    run = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path)
    with pytest.raises(Stopped):
        run.finish(watch=stop_at(0, 1))
    before = run.checkpoint.read_bytes()
    with pytest.raises(ValueError, match="add --resume"):
        Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path).finish()
    assert run.checkpoint.read_bytes() == before


@pytest.mark.parametrize("finished", [True, False], ids=["finished", "unfinished"])
def test_a_run_with_other_settings_is_not_mixed_in(corpus, small, tmp_path, finished):
    run = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path)
    if finished:
        run.finish()
    else:
        with pytest.raises(Stopped):
            run.finish(watch=stop_at(0, 1))
    other = Run(PRESS_WOLF, WT_PR, corpus, small._replace(seed=1, rate=0.5), tmp_path)
    with pytest.raises(ValueError, match="another rate, seed; "):
        other.finish(resume=True)


def test_another_text_is_not_mixed_in(corpus, small, tmp_path):
    Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path).finish()
    changed = corpus._replace(test=corpus.test[::-1])
    with pytest.raises(ValueError, match="another text; "):
        Run(PRESS_WOLF, WT_PR, changed, small, tmp_path).finish()


def test_a_number_that_is_not_finite_stops_with_the_step_and_the_last_good_checkpoint(
    corpus, small, tmp_path
):
    run = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path)

    def spoil(run, event):
        if event[:2] == (1, 2):
            run.model.params["E"][:] = np.nan

    with pytest.raises(TrainingError, match=r"row wt\+pr: epoch 2, step 3 of \d+: .* is "):
        run.finish(watch=spoil)
    assert np.isfinite(tinytie.load(run.checkpoint).params["E"]).all()
    resumed = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path)
    assert resumed.finish(resume=True)["valid"] > 1


def test_before_any_checkpoint_the_error_says_that_there_is_none(corpus, small, tmp_path):
    run = Run(PRESS_WOLF, WT_PR, corpus, small._replace(bound=1e30), tmp_path)
    with pytest.raises(TrainingError, match=r"step 1 of .*there is no checkpoint yet"):
        run.finish()


def test_it_is_saved_after_every_epoch_and_as_often_as_asked(corpus, small, tmp_path, monkeypatch):
    run = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path, save_minutes=60)
    seen = []
    monkeypatch.setattr(Run, "save", lambda self: seen.append("save"))
    run.finish(watch=lambda run, event: seen.append(type(event)))
    assert seen.count("save") == small.epochs
    assert all(seen[i + 1] == "save" for i, kind in enumerate(seen) if kind is Epoch)


def test_a_record_that_is_no_record_is_named(corpus, small, tmp_path):
    run = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path)
    run.record.write_text(json.dumps({"row": "wt+pr"}))
    with pytest.raises(ValueError, match="not the record of a finished row"):
        run.finish()


def test_a_finished_model_without_its_record_is_not_overwritten(corpus, small, tmp_path):
    run = Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path)
    run.finish()
    run.record.unlink()
    before = run.checkpoint.read_bytes()
    with pytest.raises(ValueError, match="is a finished model, but"):
        Run(PRESS_WOLF, WT_PR, corpus, small, tmp_path).finish(resume=True)
    assert run.checkpoint.read_bytes() == before
