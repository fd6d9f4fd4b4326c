"""One row of a recipe, from its first step to its record, however often it is stopped on the way.

ROW.safetensors   the run as it stands, then the finished model
ROW.json          the record, once the row is finished
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tinytie.experiments.recipes.build import build_model, build_trainer
from tinytie.experiments.recipes.identity import check_same, identity, read_record
from tinytie.experiments.recipes.objective import PathRecorder
from tinytie.experiments.recipes.recipe import Recipe, Row, Settings
from tinytie.experiments.record import environment, finite, write_record
from tinytie.files.atomic import check_writable
from tinytie.files.checkpoint import load_checkpoint, save
from tinytie.measure.parameters import count_parameters
from tinytie.measure.paths import PathRow, frequency_bands
from tinytie.measure.perplexity import perplexity, predict
from tinytie.models.rnn_lm import RNNLM
from tinytie.text.corpora import Corpus
from tinytie.training.interrupts import Interrupts
from tinytie.training.trainer import Epoch, Step, TrainingError

Watch = Callable[["Run", Step | Epoch], Any]


class Stopped(KeyboardInterrupt):
    """A Ctrl-C after which the step was finished and everything saved."""


class Run:
    """A row, its model and trainer, and the files in `folder`.

    save_minutes: how often to save within an epoch; it is saved after each epoch too.
    paths_every: measure both paths of the embedding every so many steps, or never (None).
    """

    def __init__(
        self, recipe: Recipe, row: Row, corpus: Corpus, settings: Settings, folder: Path, *,
        save_minutes: float = 10.0, paths_every: int | None = None,
    ) -> None:  # fmt: skip
        self.row, self.corpus, self.settings, self.folder = row, corpus, settings, folder
        self.identity = identity(recipe.name, row, settings, corpus)
        self.save_minutes, self.paths_every = save_minutes, paths_every
        self.checkpoint, self.record = (
            folder / f"{row.name}.{kind}" for kind in ("safetensors", "json")
        )
        self.model: RNNLM
        self.recorder: PathRecorder | None = None

    def finish(
        self, resume: bool = False, watch: Watch = lambda run, event: None
    ) -> dict[str, Any]:
        """The record of the row: read where it is finished, otherwise trained for.

        resume goes on from the checkpoint, if there is one. watch(run, event) sees every step and
        epoch. Raises Stopped after a Ctrl-C; TrainingError, naming the step and the last good
        checkpoint, where a number is not finite; ValueError where the folder holds another run,
        or an unfinished one without `resume`.
        """
        if self.record.exists():
            record = read_record(self.record)
            check_same(record, self.identity, self.record)
            self.tidy()
            return record
        self.prepare(resume)
        self.train(watch)
        return self.conclude()

    def tidy(self) -> None:
        """The finished model, where a kill came between the record and it."""
        if self.checkpoint.exists() and load_checkpoint(self.checkpoint).training is not None:
            self.prepare(resume=True)
            if self.settings.keep_best:
                self.trainer.keep_best()
            self.write_model(None)

    def prepare(self, resume: bool) -> None:
        """Model and trainer: new, or as the checkpoint has them."""
        if self.checkpoint.exists() and not resume:
            raise ValueError(
                f"{self.checkpoint} is an unfinished run: add --resume to go on with it, or choose "
                "another folder with --out"
            )
        self.model = build_model(self.row, len(self.corpus.vocabulary), self.settings)
        if self.paths_every is not None:
            bands = frequency_bands(self.corpus.train, len(self.corpus.vocabulary))
            self.recorder = PathRecorder(self.paths_every, bands)
        self.trainer = build_trainer(
            self.row, self.model, self.corpus, self.settings, self.recorder
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        check_writable(self.checkpoint)
        if self.checkpoint.exists():
            self.restore(load_checkpoint(self.checkpoint).training)

    def restore(self, training: dict[str, Any] | None) -> None:
        """Go on where the checkpoint stood, bit for bit."""
        if training is None:
            raise ValueError(
                f"{self.checkpoint} is a finished model, but {self.record} is missing; choose "
                "another folder with --out"
            )
        check_same(training.get("identity", {}), self.identity, self.checkpoint)
        self.trainer.restore(training["trainer"])
        if self.recorder is not None:
            self.recorder.step = self.trainer.epoch * len(self.trainer.batches)
            self.recorder.step += self.trainer.position
            self.recorder.rows = [PathRow(*row) for row in training["paths"]]

    def train(self, watch: Watch) -> None:
        """To the last epoch; saved after each one, every few minutes, and at Ctrl-C."""
        events, saved = self.trainer.run(), time.monotonic()
        with Interrupts() as interrupts:
            while not self.trainer.finished:
                event = self.next_of(events)
                watch(self, event)
                stop = interrupts.came
                due = time.monotonic() - saved >= 60 * self.save_minutes
                if stop or due or isinstance(event, Epoch):
                    self.save()
                    saved = time.monotonic()
                if stop:
                    raise Stopped(f"stopped, and saved in {self.checkpoint}")

    def next_of(self, events):
        """One step or epoch; where it fails, the error also says what is left."""
        try:
            return next(events)
        except TrainingError as error:
            kept = f"the last good checkpoint is {self.checkpoint}"
            if not self.checkpoint.exists():
                kept = "there is no checkpoint yet"
            raise TrainingError(f"row {self.row.name}: {error}; {kept}") from None

    def save(self) -> None:
        """Everything needed to go on, in one file that is replaced as a whole."""
        rows = self.recorder.rows if self.recorder else []
        self.write_model({
            "identity": self.identity,
            "trainer": self.trainer.state(),
            "paths": [list(row) for row in rows],
        })  # fmt: skip

    def write_model(self, training: dict[str, Any] | None) -> None:
        """The checkpoint, with or without what only training needs."""
        save(
            self.checkpoint, self.model, vocabulary=self.corpus.vocabulary.words,
            tokenizer=self.corpus.tokenizer, training=training,
        )  # fmt: skip

    def conclude(self) -> dict[str, Any]:
        """Measure the model on the test text, one row from end to end; write record and model."""
        epochs = self.trainer.history
        reported = epochs[-1]
        if self.settings.keep_best:
            self.trainer.keep_best()
            reported = min(epochs, key=lambda epoch: epoch.valid_loss)
        found = {
            "parameters": count_parameters(self.model)["total"],
            "width": self.model.d_embed,
            "test": finite(predict(self.model, self.corpus.test).perplexity),
            "epochs": [self.curve_point(epoch) for epoch in epochs],
            "paths": [row._asdict() for row in self.recorder.rows] if self.recorder else [],
        }
        record = self.identity | self.curve_point(reported) | found
        record |= {"seconds": sum(epoch.seconds for epoch in epochs), "environment": environment()}
        write_record(self.record, record)
        self.write_model(None)
        return record

    def curve_point(self, epoch: Epoch) -> dict[str, Any]:
        """One epoch of the record. Under the augmented loss there is no training perplexity."""
        return {
            "epoch": epoch.epoch,
            "rate": epoch.rate,
            "train": None if self.row.augmented else finite(perplexity(epoch.train_loss)),
            "valid": finite(perplexity(epoch.valid_loss)),
            "seconds": epoch.seconds,
        }
