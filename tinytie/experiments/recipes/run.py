"""One row of a recipe, from its first step to its record, however often it is stopped on the way.

ROW.safetensors   the run as it stands, then the finished model
ROW.json          the record, once the row is finished
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tinytie.experiments.engine import Job, Listener, Run, check_same, text_identity, train_here
from tinytie.experiments.options import widest
from tinytie.experiments.recipes.augmented_lm import AugmentedLM
from tinytie.experiments.recipes.objective import Objective, PathRecorder
from tinytie.experiments.recipes.recipe import Recipe, Row, Settings
from tinytie.experiments.record import environment, finite, write_record
from tinytie.files.checkpoint import load_checkpoint
from tinytie.files.strict_json import strict_json
from tinytie.measure.parameters import count_parameters
from tinytie.measure.paths import PathRow, frequency_bands
from tinytie.measure.perplexity import perplexity, predict, predict_pieces
from tinytie.models.masks import Dropout
from tinytie.models.rnn_lm import RNNLM
from tinytie.text.batches import Batches
from tinytie.text.corpora import Corpus
from tinytie.training.trainer import Epoch, Trainer


@dataclass(kw_only=True)
class RowJob(Job):
    """A row on a corpus. It finds the record of the row.

    paths_every: measure both paths of the embedding every so many steps, or never (None).
    """

    recipe: str
    row: Row
    options: Settings
    data: Corpus
    path: Path
    paths_every: int | None = None
    recorder: PathRecorder | None = field(default=None, init=False)  # of the run that was built

    def build(self) -> tuple[RNNLM, Trainer]:
        """The row's model, and its objective on the corpus cut into B rows and T steps."""
        row, corpus, settings = self.row, self.data, self.options
        model = build_model(row, len(corpus.vocabulary), settings)
        if self.paths_every is not None:
            bands = frequency_bands(corpus.train, len(corpus.vocabulary))
            self.recorder = PathRecorder(self.paths_every, bands)
        return model, build_trainer(row, model, corpus, settings, self.recorder)

    def identity(self) -> dict[str, Any]:
        """The recipe, the row, the settings, and every token."""
        return {
            "recipe": self.recipe,
            "row": self.row.name,
            "settings": self.options.asdict(),
            "text": text_identity(self.data),
        }

    def training(self, trainer: Trainer) -> dict[str, Any]:
        """Also the paths measured so far."""
        rows = self.recorder.rows if self.recorder else []
        return super().training(trainer) | {"paths": [list(row) for row in rows]}

    def restore(self, trainer: Trainer, training: dict[str, Any]) -> None:
        """Also the paths measured so far."""
        super().restore(trainer, training)
        if self.recorder is not None:
            self.recorder.step = trainer.epoch * len(trainer.batches) + trainer.position
            self.recorder.rows = [PathRow(*row) for row in training["paths"]]

    def measure(self, model: RNNLM, trainer: Trainer) -> dict[str, Any]:
        """The test text in one row from end to end, the curves, and what was run on what."""
        epochs = trainer.history
        reported = epochs[-1]
        if self.options.keep_best:
            reported = min(epochs, key=lambda epoch: epoch.valid_loss)
        return self.identity() | self.curve_point(reported) | {
            "parameters": count_parameters(model)["total"],
            "width": model.d_embed,
            "test": finite(predict(model, self.data.test).perplexity),
            "epochs": [self.curve_point(epoch) for epoch in epochs],
            "paths": [row._asdict() for row in self.recorder.rows] if self.recorder else [],
            "seconds": sum(epoch.seconds for epoch in epochs),
            "environment": environment(),
        }  # fmt: skip

    def curve_point(self, epoch: Epoch) -> dict[str, Any]:
        """One epoch of the record. Under the augmented loss there is no training perplexity."""
        return {
            "epoch": epoch.epoch,
            "rate": epoch.rate,
            "train": None if self.row.augmented else finite(perplexity(epoch.train_loss)),
            "valid": finite(perplexity(epoch.valid_loss)),
            "seconds": epoch.seconds,
        }

    @property
    def record(self) -> Path:
        """The file of the record, beside the checkpoint."""
        return self.path.with_suffix(".json")

    def conclude(self, run: Run, trainer: Trainer) -> None:
        """The record, then the model alone."""
        write_record(self.record, run.found)
        super().conclude(run, trainer)


def row_job(
    recipe: Recipe, row: Row, corpus: Corpus, settings: Settings, folder: Path, **how: Any
) -> RowJob:
    """The job of a row, with its files in the folder; `how` it is run as in `RowJob`."""
    return RowJob(
        label=f"row {row.name}", recipe=recipe.name, row=row, options=settings, data=corpus,
        path=folder / f"{row.name}.safetensors", **how,
    )  # fmt: skip


def finish(job: RowJob, listen: Listener = lambda event: None) -> dict[str, Any]:
    """The record of the row: read where it is finished, otherwise trained for, as `train_here`.

    Raises ValueError where the folder holds another run, or an unfinished one without `resume`.
    """
    if job.record.exists():
        record = strict_json(job.record.read_bytes(), str(job.record))
        if not isinstance(record, dict) or "test" not in record:
            raise ValueError(f"{job.record} is not the record of a finished row; move it away")
        check_same(record, job, job.record)
        if job.path.exists() and (training := load_checkpoint(job.path).training) is not None:
            finish_model(job, training)
        return record
    if job.path.exists() and not job.resume:
        raise ValueError(
            f"{job.path} is an unfinished run: add --resume to go on with it, or choose another "
            "folder with --out"
        )
    return train_here(job, listen).found


def finish_model(job, training):
    """Where a kill came between the record and the finished model."""
    model, trainer = job.build()
    job.restore(trainer, training)
    if job.options.keep_best:
        trainer.keep_best()
    job.write(model, None)


def build_model(row: Row, vocab_size: int, settings: Settings) -> RNNLM:
    """The row's model in float32, with the paper's initial values drawn from the seed."""
    if row.budget_of is not None:
        narrower = widest(lambda width: parameters(row.options, vocab_size, settings, width),
                          parameters(row.budget_of, vocab_size, settings))  # fmt: skip
        settings = settings.changed(width=narrower)
    model = RNNLM(vocab_size, **arguments(row.options, settings), rng=0)
    rng = np.random.default_rng(settings.seed)
    for name, array in model.params.items():
        bias_of_cell = name.startswith("b")
        array[...] = 0 if bias_of_cell else rng.uniform(-1, 1, array.shape) * settings.bound
    return model


def arguments(options, settings):
    """Those of an LSTM language model."""
    p = settings.dropout
    return {
        "d_embed": settings.width, "cell": "lstm", "n_layers": settings.layers,
        "dtype": np.float32, "dropout": Dropout(p, p, 0.0, p, variational=True), **options,
    }  # fmt: skip


def parameters(options, vocab_size, settings, width=None):
    """How many parameters such a model has, at another width where one is given."""
    settings = settings.changed(width=width or settings.width)
    return count_parameters(RNNLM.sketch(vocab_size, **arguments(options, settings)))["total"]


def build_trainer(
    row: Row, model: RNNLM, corpus: Corpus, settings: Settings, recorder: PathRecorder | None = None
) -> Trainer:
    """The row's objective on the corpus, cut into B rows and T steps; validation likewise."""
    view = model
    if row.augmented:
        view = AugmentedLM(model, settings.gamma * settings.tau, settings.tau)
    penalty = settings.penalty if row.regularized else 0.0
    objective = Objective(view, penalty, settings.dropout > 0, recorder)
    return stream_trainer(objective, model, corpus, settings, [settings.seed, 1])


def stream_trainer(view: Any, model: RNNLM, corpus: Corpus, options: Any, rng: Any) -> Trainer:
    """Trains `view` on the corpus in rows and steps; the model is validated, likewise in rows."""
    train, valid = (
        Batches(stream, options.batch_size, options.steps)
        for stream in (corpus.train, corpus.valid)
    )
    return options.trainer(view, train, lambda _: predict_pieces(model, valid).loss, rng)
