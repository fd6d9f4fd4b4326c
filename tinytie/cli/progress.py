"""Progress: one line that is rewritten on a terminal; plain lines, and fewer, anywhere else."""

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from tinytie.experiments.engine import Job, Run
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
        """The time left at the pace so far."""
        if share_done <= 0:
            return "time left unknown"
        seconds = (time.monotonic() - self.began) * (1 - share_done) / share_done
        return f"{duration(seconds)} left"


class Listener:
    """Turns the events of runs, one or several side by side, into progress.

    A line stays for each epoch, or, where `ended` puts a Run into words, for each run. The time
    left is that of all runs; what an earlier start had done of one counts for nothing.
    """

    def __init__(
        self, progress: Progress, jobs: Sequence[Job],
        ended: Callable[[Run], str] | None = None, epochs: bool = True,
    ) -> None:  # fmt: skip
        self.progress, self.jobs, self.ended, self.epochs = progress, jobs, ended, epochs
        self.began = dict.fromkeys(range(len(jobs)), 0.0)  # the share of each run at its start
        self.done: dict[int, float] = {}  # and now
        self.over = 0

    def __call__(self, i: int, event: Step | Epoch | Run) -> None:
        several = len(self.jobs) > 1
        name = f"{self.jobs[i].label}: " if several else ""
        if isinstance(event, Run):
            self.done[i] = 1.0
            self.over += 1
            if self.ended is not None:
                self.progress.note(f"{self.over}/{len(self.jobs)}  {name}{self.ended(event)}")
            return
        epochs = self.jobs[i].options.epochs
        share = (event.epoch + (event.share if isinstance(event, Step) else 1)) / epochs
        if i not in self.done:
            self.began[i] = share - (0 if isinstance(event, Step) else 1 / epochs)
        self.done[i] = share
        if isinstance(event, Epoch) and self.epochs:
            self.progress.note(f"{name}{epoch_line(event, epochs)}  {self.left()}")
        elif isinstance(event, Step):
            count = f"{self.over}/{len(self.jobs)}  " if several else ""
            self.progress.rewrite(f"{count}{name}{step_line(event, epochs)}  {self.left()}")

    def left(self) -> str:
        """The time left for all runs."""
        before, whole = sum(self.began.values()), len(self.jobs)
        done = sum(self.done.get(i, self.began[i]) for i in self.began)
        return self.progress.left((done - before) / (whole - before)) if before < whole else ""


def duration(seconds: float) -> str:
    """8 s, or 2 min 05 s."""
    whole = round(max(0.0, seconds))
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02} s"


def step_line(step: Step, epochs: int) -> str:
    """epoch, loss, perplexity, speed."""
    return progress_line(step.epoch, epochs, step.loss, step.tokens / step.seconds)


def epoch_line(epoch: Epoch, epochs: int) -> str:
    """The same after an epoch, with the validation text and the time that the epoch took."""
    line = progress_line(epoch.epoch, epochs, epoch.train_loss, epoch.tokens / epoch.seconds)
    valid = f"validation perplexity {perplexity(epoch.valid_loss):.1f}"
    return f"{line}  {valid}  {duration(epoch.seconds)}"


def progress_line(epoch: int, epochs: int, loss: float, speed: Any) -> str:
    """What both lines share."""
    return (
        f"epoch {epoch + 1}/{epochs}  loss {loss:.3f}  perplexity {perplexity(loss):.1f}  "
        f"{speed:,.0f} tokens/s"
    )
