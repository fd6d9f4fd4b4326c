"""The engine of every experiment: it trains, saves, stops, resumes and measures one run.

A job says what is trained and what is measured; the rest is the same for all. The checkpoint of an
unfinished run holds the model and, as `training`, {"identity", "trainer", …}.
"""

import hashlib
import math
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from tinytie.experiments.options import Options
from tinytie.files.atomic import check_writable
from tinytie.files.checkpoint import load_checkpoint, save
from tinytie.text.corpora import Corpus
from tinytie.training.trainer import Epoch, Step, Trainer, TrainingError

Listener = Callable[[Any], None]  # hears every Step and every Epoch


class Stopped(KeyboardInterrupt):
    """Raised by a listener to end a run early; the run is saved first."""


class Run(NamedTuple):
    """The result of a job."""

    model: Any  # with the parameters that are reported: the best epoch's, or the last one's
    history: list[Epoch]
    seconds: float  # of processor time, all included
    found: Any  # what the job measured

    @property
    def valid_loss(self) -> float:
        """Of the best epoch, in nats a token."""
        return min(epoch.valid_loss for epoch in self.history)


@dataclass(kw_only=True)
class Job(ABC):
    """A run to make, as plain data that can be sent to another process."""

    label: str
    options: Options
    data: Any
    path: Path | None = None  # of its checkpoint; None keeps none
    resume: bool = False  # go on from that checkpoint, if there is one
    save_epochs: bool = True  # save after each epoch, not only when stopped
    save_minutes: float = math.inf  # and this often within an epoch

    @abstractmethod
    def build(self) -> tuple[Any, Trainer]:
        """A new model, and its trainer. The seed is in the options."""

    @abstractmethod
    def measure(self, model: Any, trainer: Trainer) -> Any:
        """The task's own measurements of the trained model."""

    def identity(self) -> dict[str, Any]:
        """Options, text and whatever else makes two runs the same run, as JSON values."""
        return {"options": self.options.asdict()}

    def training(self, trainer: Trainer) -> dict[str, Any]:
        """All that is needed to resume."""
        return {"identity": self.identity(), "trainer": trainer.state()}

    def restore(self, trainer: Trainer, training: dict[str, Any]) -> None:
        """Resume where `training` stood, bit for bit."""
        trainer.restore(training["trainer"])

    def write(self, model: Any, training: dict[str, Any] | None) -> None:
        """Replace the checkpoint as a whole; it holds the vocabulary where the data has one."""
        if self.path is not None:
            words: dict[str, Any] = {}
            if isinstance(self.data, Corpus):
                words = {"vocabulary": self.data.vocabulary.words, "tokenizer": self.data.tokenizer}
            save(self.path, model, training=training, **words)

    def conclude(self, run: Run, trainer: Trainer) -> None:
        """Write what remains of a finished run: the model alone."""
        self.write(run.model, None)


def train(job: Job, listen: Listener = lambda event: None) -> Run:
    """A job's run, from the first number drawn to what is measured.

    Raises Stopped, after saving, where the listener does; TrainingError, naming the run and the
    last good checkpoint, where a number is not finite; ValueError where the checkpoint to go on
    from is of another run.
    """
    began = time.process_time()
    model, trainer = job.build()
    prepare(job, trainer)
    try:
        follow(job, model, trainer, listen)
    except Stopped:
        if job.path is not None:
            training = job.training(trainer)
            if job.options.keep_best:
                trainer.keep_best()
            job.write(model, training)
        raise Stopped(f"stopped, and saved in {job.path}" if job.path else "") from None
    except TrainingError as error:
        raise TrainingError(f"{job.label}: {error}{what_is_left(job)}") from None
    if job.options.keep_best:
        trainer.keep_best()
    found = job.measure(model, trainer)
    run = Run(model, trainer.history, time.process_time() - began, found)
    job.conclude(run, trainer)
    return run


def follow(job, model, trainer, listen):
    """To the last epoch; saved after each one and every few minutes."""
    events, saved = trainer.run(), time.monotonic()
    while not trainer.finished:
        event = next(events)
        listen(event)
        due = isinstance(event, Epoch) and job.save_epochs
        if job.path and (due or time.monotonic() - saved >= 60 * job.save_minutes):
            job.write(model, job.training(trainer))
            saved = time.monotonic()


def prepare(job, trainer):
    """Make sure that the checkpoint can be written; resume from it where that is asked for."""
    if job.path is None:
        return
    job.path.parent.mkdir(parents=True, exist_ok=True)
    check_writable(job.path)
    if not (job.resume and job.path.exists()):
        return
    training = load_checkpoint(job.path).training
    if training is None:
        raise ValueError(
            f"{job.path} is a finished model, but there is no record of its run; choose another "
            "folder with --out"
        )
    check_same(training.get("identity", training), job, job.path)
    job.restore(trainer, training)


def what_is_left(job):
    """Which checkpoint remains after a run that went wrong."""
    if job.path is None or not job.save_epochs:
        return ""
    kept = f"the last good checkpoint is {job.path}"
    return f"; {kept if job.path.exists() else 'there is no checkpoint yet'}"


def check_same(found: dict[str, Any], job: Job, path: Path) -> None:
    """Raises ValueError, naming what differs, where `path` holds another run than the job's."""
    defaults = type(job.options)().asdict()  # for options that did not exist when it was written
    names = []
    for name, ours in job.identity().items():
        theirs = found.get(name)
        if name in ("options", "settings"):
            theirs = defaults | (theirs or {})
            names += [option for option in ours if theirs.get(option) != ours[option]]
        elif digest_in(theirs) != digest_in(ours):
            names.append(name)
    if names:
        raise ValueError(
            f"{path} holds a run with another {', '.join(names)}; give the options of that run "
            "again, or another folder with --out"
        )


def digest_in(value):
    """Texts are compared by their digests, whatever their names."""
    return value.get("sha256") if isinstance(value, dict) else value


def text_identity(corpus: Corpus) -> dict[str, Any]:
    """Name and sizes of a text, and a digest of every word and token."""
    streams = corpus.train, corpus.valid, corpus.test
    digest = hashlib.sha256("\n".join(corpus.vocabulary.words).encode())
    for stream in streams:
        digest.update(stream.astype("<i8").tobytes())
    return {
        "name": corpus.name,
        "words": len(corpus.vocabulary),
        "tokens": [len(stream) for stream in streams],
        "sha256": digest.hexdigest(),
    }


class Interrupts:
    """While inside, the first Ctrl-C only sets `came`; a second one is raised at once.

    As a listener it stops the run after the step that a Ctrl-C came in. To be used in the main
    thread, where Python handles signals.
    """

    came = False

    def __init__(self, listen: Listener) -> None:
        self.listen = listen

    def __enter__(self) -> Self:
        self.before = signal.signal(signal.SIGINT, self.note)
        return self

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGINT, self.before)

    def note(self, number: int, frame: Any) -> None:
        """The handler."""
        if self.came:
            raise KeyboardInterrupt
        self.came = True

    def __call__(self, event: Step | Epoch) -> None:
        """As a listener."""
        self.listen(event)
        if self.came:
            raise Stopped


def train_here(job: Job, listen: Listener = lambda event: None) -> Run:
    """The same in this process, where Ctrl-C stops the run between two steps."""
    with Interrupts(listen) as interrupts:
        return train(job, interrupts)
