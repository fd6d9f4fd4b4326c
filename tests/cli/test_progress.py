"""Progress: one line on a terminal, and nothing that moves the cursor anywhere else."""

import io

import pytest

from tinytie.cli.progress import Progress, duration, epoch_line, step_line
from tinytie.cli.table import table
from tinytie.training.trainer import Epoch, Step


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_line_is_rewritten_and_wiped():
    out = Terminal()
    with Progress(out) as progress:
        progress.rewrite("a long line")
        progress.shown = 0.0
        progress.rewrite("short")
    assert out.getvalue() == "\ra long line\rshort      \r     \r"


def test_a_terminal_line_is_not_rewritten_all_the_time():
    out = Terminal()
    progress = Progress(out)
    for i in range(1000):
        progress.rewrite(str(i))
    assert out.getvalue().count("\r") < 100


def test_elsewhere_only_notes_are_written():
    out = io.StringIO()
    with Progress(out) as progress:
        progress.rewrite("nothing")
        progress.note("a line that stays")
    assert out.getvalue() == "a line that stays\n"


def test_a_step_shows_epoch_loss_perplexity_and_speed():
    step = Step(epoch=0, position=3, share=0.5, loss=2.0, norm=1.0, tokens=3000, seconds=0.5)
    assert step_line(step, 9) == "epoch 1/9  loss 2.000  perplexity 7.4  6,000 tokens/s"


def test_an_epoch_shows_the_validation_text_too():
    epoch = Epoch(8, 0.1, train_loss=2.0, valid_loss=3.0, seconds=2.0, tokens=1000)
    said = epoch_line(epoch, 9)
    assert said.startswith("epoch 9/9") and "500 tokens/s" in said
    assert said.endswith("validation perplexity 20.1  2 s")


@pytest.mark.parametrize(
    ("seconds", "said"), [(-1, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (125, "2 min 05 s")]
)
def test_durations_are_read_easily(seconds, said):
    assert duration(seconds) == said


def test_columns_are_aligned():
    lines = table(["arm", "n"], [["untied", "1"], ["tied", "1,000"]]).splitlines()
    assert lines == ["arm         n", "------  -----", "untied      1", "tied    1,000"]
