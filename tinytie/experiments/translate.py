"""The translation task: one joint vocabulary, and the same translator under each tying.

The arms differ in nothing but the number of token matrices: same text, same batches in the same
order, same widths, same optimizer.
"""

import hashlib
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tinytie.experiments.translation_text import Prepared, TeacherForced
from tinytie.experiments.workers import StoppedError, run_all
from tinytie.files.checkpoint import load_checkpoint, save
from tinytie.measure.translation import (
    TranslationScore,
    score_translations,
    translate_texts,
    translation_loss,
)
from tinytie.models.language_model import LossAndGrads
from tinytie.models.translator import TYINGS, Translator
from tinytie.text.bpe import PAD
from tinytie.training.optimizers import Adam
from tinytie.training.schedules import Decay
from tinytie.training.trainer import Epoch, Trainer, TrainingError


class TranslationOptions(NamedTuple):
    """What a run depends on beside its text; the defaults suit numbers in words.

    Adam at `rate`, which in the second half of the epochs shrinks by a factor of 0.7 each epoch.
    Lookups are scaled by √width, so that the cells are moved from the start.
    """

    merges: int = 200  # at most; V is 259 more
    width: int = 128  # of the embedding, D
    hidden: int | None = None  # H; None is D
    cell: str = "lstm"
    dropout: float = 0.0
    epochs: int = 10
    batch_size: int = 32
    rate: float = 0.005
    max_norm: float = 1.0
    seed: int = 0


FOR_FILES = TranslationOptions(
    merges=4000, width=256, dropout=0.3, epochs=12, batch_size=64, rate=0.001
)  # for some ten thousand sentences


class TranslationRun(NamedTuple):
    """What came of one tying, all of the best epoch's parameters."""

    tying: str
    model: Translator
    valid_loss: float  # nats a subword
    score: TranslationScore  # of the test pairs
    history: list[Epoch]
    seconds: float  # of processor time, all included


class TranslationJob(NamedTuple):
    """One tying to train and judge."""

    tying: str
    data: Prepared
    options: TranslationOptions
    path: Path  # of its checkpoint
    resume: bool = False


def run_translation(
    data: Prepared, options: TranslationOptions, folder: Path, processes: int, *,
    resume: bool = False, report: Callable[[int, Any], None] = lambda i, event: None,
) -> list[TranslationRun]:  # fmt: skip
    """Every tying, in the order of TYINGS, each with a checkpoint in `folder`; see `run_all`.

    report(i, event) hears of the steps and epochs of tying i, and of its TranslationRun. Ctrl-C
    and errors end a run after it is saved. resume goes on from the checkpoints in the folder, bit
    for bit. Raises ValueError where they are of other options or another text.
    """
    data.bpe.save(folder / "subwords.json")
    jobs = [
        TranslationJob(tying, data, options, folder / f"{tying}.safetensors", resume)
        for tying in TYINGS
    ]
    return run_all(jobs, processes, report, train_tying)


def train_tying(job: TranslationJob, report: Callable[[Any], None]) -> TranslationRun:
    """One tying from the first number drawn to the test pairs; a StoppedError of `report` ends it.

    Saved after each epoch, and where it is stopped.
    """
    began = time.process_time()
    trainer = trainer_of(job)
    if job.resume and job.path.exists():
        trainer.restore(saved_state(job))
    trainer.batches.shuffle(trainer.epoch)
    try:
        for event in trainer.run():
            if isinstance(event, Epoch):
                trainer.batches.shuffle(trainer.epoch)
                keep(job, trainer)
            report(event)
    except StoppedError:
        keep(job, trainer)
        raise
    except TrainingError as error:
        raise TrainingError(f"{job.tying}: {error}") from None
    keep(job, trainer)
    return judged(job, trainer, began)


class ForTrainer(NamedTuple):
    """A translator as the trainer sees a model: no state is carried from batch to batch."""

    translator: Translator

    @property
    def params(self):
        return self.translator.params

    @property
    def frozen(self):
        return self.translator.frozen

    def loss_and_grads(self, x, y, state, **options):
        found = self.translator.loss_and_grads(*x, **options)
        return LossAndGrads(found.loss, found.grads, None, None, found.masks)

    def memory_for(self, n_targets):
        """None: batches of sentences differ in length."""


def trainer_of(job):
    """A new translator, in float32, and all that trains it."""
    options, data = job.options, job.data
    weights, masks = np.random.default_rng(options.seed).spawn(2)
    model = Translator(
        data.bpe.vocab_size, options.width, options.hidden, tying=job.tying, cell=options.cell,
        embed_scale=math.sqrt(options.width), dropout=options.dropout, padding_id=PAD,
        dtype=np.float32, rng=weights,
    )  # fmt: skip
    seen: Any = ForTrainer(model)
    batches: Any = TeacherForced(data.train, options.batch_size, options.seed)
    return Trainer(
        seen, Adam(options.rate), Decay(options.rate, options.epochs // 2, 0.7), batches,
        lambda _: translation_loss(model, data.valid), epochs=options.epochs,
        max_norm=options.max_norm, rng=masks,
    )  # fmt: skip


def judged(job, trainer, began):
    """Translate the test pairs and compare."""
    model, test = trainer.model.translator, job.data.texts.test
    translations = translate_texts(model, job.data.bpe, [source for source, _ in test])
    return TranslationRun(
        job.tying, model, min(trainer.valid_losses), score_translations(translations, test),
        trainer.history, time.process_time() - began,
    )  # fmt: skip


def keep(job, trainer):
    """The model as it is, and all that is needed to go on."""
    training = identity(job) | {"trainer": trainer.state()}
    save(job.path, trainer.model.translator, training=training)


def identity(job):
    """What must be the same where a run is to go on."""
    text = json.dumps(job.data.texts).encode()
    return {"options": job.options._asdict(), "text": hashlib.sha256(text).hexdigest()}


def saved_state(job):
    """The trainer's state in a checkpoint of the same run."""
    training = load_checkpoint(job.path).training or {}
    for name, value in identity(job).items():
        if training.get(name) != value:
            raise ValueError(
                f"{str(job.path)!r} was left by a run with other {name}; repeat that run's "
                "arguments, or choose another folder"
            )
    return training["trainer"]
