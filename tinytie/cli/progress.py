"""Progress: one line that is rewritten on a terminal; plain lines, and fewer, anywhere else."""

import shutil
import sys
import time
from typing import TextIO

from tinytie.measure.perplexity import perplexity
from tinytie.training.trainer import Epoch, Step

PAUSE = 0.1  # seconds between two rewritings


class Progress:
    """Writes to `out`, the standard error stream. Use it with `with`, so that the line is ended."""

    def __init__(self, out: TextIO | None = None) -> None:
        self.out = sys.stderr if out is None else out
        self.terminal = self.out.isatty()
        self.began = time.monotonic()
        self.shown = 0.0  # when the line was last rewritten
        self.width = 0  # of what stands on it

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def rewrite(self, line: str) -> None:
        """On a terminal, put this in place of the line before, at most ten times a second."""
        now = time.monotonic()
        if not self.terminal or now - self.shown < PAUSE:
            return
        line = line[: shutil.get_terminal_size().columns - 1]
        self.out.write("\r" + line.ljust(self.width))
        self.out.flush()
        self.shown, self.width = now, len(line)

    def note(self, line: str) -> None:
        """A line that stays."""
        self.clear()
        print(line, file=self.out, flush=True)

    def clear(self) -> None:
        """Wipe the rewritten line."""
        if self.width:
            self.out.write("\r" + " " * self.width + "\r")
            self.out.flush()
            self.width = 0

    def left(self, share_done: float) -> str:
        """How long it will take, if it goes on as it went so far."""
        if share_done <= 0:
            return "time left unknown"
        seconds = (time.monotonic() - self.began) * (1 - share_done) / share_done
        return f"{duration(seconds)} left"


def duration(seconds: float) -> str:
    """8 s, or 2 min 05 s."""
    whole = round(max(0.0, seconds))
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02} s"


def step_line(step: Step, epochs: int) -> str:
    """epoch, loss, perplexity, speed."""
    return progress_line(step.epoch, epochs, step.loss, step.tokens / step.seconds)


def epoch_line(epoch: Epoch, epochs: int) -> str:
    """The same after an epoch, with the validation text."""
    line = progress_line(epoch.epoch, epochs, epoch.train_loss, epoch.tokens / epoch.seconds)
    return f"{line}  validation perplexity {perplexity(epoch.valid_loss):.1f}"


def progress_line(epoch, epochs, loss, speed):
    """What both have."""
    return (
        f"epoch {epoch + 1}/{epochs}  loss {loss:.3f}  perplexity {perplexity(loss):.1f}  "
        f"{speed:,.0f} tokens/s"
    )
