"""One run that is to be kept: saved as it goes, resumed to the same bits, safe on a full disk."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tinytie.experiments.compare import LanguageJob
from tinytie.experiments.engine import Run, text_identity
from tinytie.files.checkpoint import load_checkpoint
from tinytie.models.language_model import LanguageModel
from tinytie.text.pretrained import with_vectors
from tinytie.text.vectors import read_vectors
from tinytie.training.trainer import Trainer

LONGER = ("epochs", "patience")  # options that may change when a run is resumed


@dataclass(kw_only=True)
class SingleJob(LanguageJob):
    """A language model that `tinytie train` trains and saves.

    arguments: those of the command, kept in the checkpoint, so that to resume takes nothing but
    the file. vectors: a file that the input embedding starts from; freeze: its rows do not move.
    say: tells a person one sentence. ask: waits for a person; None where there is nobody.
    """

    path: Path
    arguments: dict[str, Any] = field(default_factory=dict)
    vectors: str | None = None
    freeze: bool = False
    say: Callable[[str], None] = print
    ask: Callable[[str], Any] | None = None
    save_minutes: float = 3.0

    @property
    def how_to_resume(self) -> str:
        return f"; `tinytie train --resume {self.path}` goes on from there"

    def new_model(self, rng: Any) -> LanguageModel:
        """From the vectors, where there are any: scaled, so that the first loss stays ln V."""
        model = super().new_model(rng)
        if self.vectors is None:
            return model
        found = read_vectors(self.vectors, self.data.vocabulary.words)
        made = with_vectors(model, found, frozen=self.freeze, rescale=True)
        self.say(made.message)
        return made.model

    def identity(self) -> dict[str, Any]:
        """The options but for how long, and every token."""
        options = self.options.asdict()
        kept = {name: value for name, value in options.items() if name not in LONGER}
        return {"options": kept, "tied": self.tied, "text": text_identity(self.data)}

    def training(self, trainer: Trainer) -> dict[str, Any]:
        """Also the arguments."""
        return super().training(trainer) | {"arguments": self.arguments}

    def save_now(self, model: Any, trainer: Trainer) -> None:
        """Where it cannot be saved now, the run goes on, and later it may."""
        try:
            super().save_now(model, trainer)
        except OSError as error:
            self.say(f"not saved ({error.strerror or error}); the run goes on")

    def conclude(self, run: Run, trainer: Trainer) -> None:
        """The model and its history."""
        history = [epoch._replace(seconds=0.0)._asdict() for epoch in run.history]
        self.write(run.model, {"identity": self.identity(), "history": history})

    def write(self, model: Any, training: dict[str, Any] | None) -> None:
        """To the file; what cannot be written at the end goes to the temporary folder."""
        if training is not None and "trainer" in training and not self.ending:
            super().write(model, training)
            return
        while True:
            try:
                super().write(model, training)
                return
            except OSError as error:
                self.say(f"cannot save in {self.path} ({error.strerror or error})")
                if self.saved_elsewhere(model, training):
                    return
                if self.ask is None:
                    raise
                self.ask("The run is still in memory: make room, then press Enter to try again ")

    def saved_elsewhere(self, model: Any, training: dict[str, Any] | None) -> bool:
        """Whether it could be saved in the temporary folder, which then is its path."""
        other = Path(tempfile.gettempdir()) / f"{os.getpid()}-{self.path.name}"
        before, self.path = self.path, other
        try:
            super().write(model, training)
        except OSError:
            self.path = before
            return False
        self.say(f"saved in the temporary folder instead: {other}")
        return True


def arguments_in(path: str) -> dict[str, Any]:
    """The arguments of the run that was stopped. Raises ValueError where there is none."""
    try:
        training = load_checkpoint(path).training or {}
    except FileNotFoundError:
        raise ValueError(f"there is no run to resume in {path!r}: no such file") from None
    if "trainer" not in training or "arguments" not in training:
        raise ValueError(
            f"{path!r} holds a finished model, no run that was stopped; train another with --out"
        )
    return training["arguments"]
