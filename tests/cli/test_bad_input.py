"""Every command on input that it cannot use: one sentence, the right exit code, no litter."""

import os
import subprocess
import sys

import pytest

from tinytie import RNNLM, save
from tinytie.cli import params
from tinytie.cli.main import main

SMALL = ["--width", "4", "--batch-size", "2", "--steps", "3", "--epochs", "1", "--min-count", "1"]
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs devices and closed streams")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working folder with one file of each bad kind, a model, and a text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "nul").write_bytes(b"a\0b\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("tie it , no\n" * 40)
    words = ["<unk>", "<eos>", "tie", "it"]
    save(tmp_path / "model", RNNLM(4, 2, rng=0), vocabulary=words, tokenizer="word")
    return tmp_path


def refused(arguments, capsys, folder):
    """The one sentence; nothing new is left in the folder."""
    before = sorted(folder.rglob("*"))
    try:
        code = main(arguments)
    except SystemExit as stopped:  # by the parser
        code = stopped.code
    said = capsys.readouterr()
    assert code == 2
    *above, sentence = said.err.splitlines()
    assert sentence.startswith("tinytie") and all(line.startswith(("usage", " ")) for line in above)
    assert all(c.isprintable() or c == "\n" for c in said.out + said.err)
    assert sorted(folder.rglob("*")) == before
    return sentence


BAD_FILES = ["nowhere", "empty", "binary", "nul", "folder", "text/below", "", "a\0b", "x" * 5000,
             "bad\udcff", "esc\x1b[2J"]  # fmt: skip
READERS = {
    "train": ["train", *SMALL, "--text", "FILE", "--out", "m"],
    "validate": ["train", *SMALL, "--text", "text", "--valid", "FILE", "--test", "FILE"],
    "compare": ["compare", *SMALL, "--text", "FILE", "--out", "c"],
    "evaluate a model": ["evaluate", "FILE", "--sentence", "a"],
    "evaluate a text": ["evaluate", "model", "--text", "FILE"],
    "sample": ["sample", "FILE"],
    "params": ["params", "FILE"],
    "similarity": ["similarity", "FILE"],
    "similarity of pairs": ["similarity", "model", "FILE"],
    "similarity with another": ["similarity", "model", "--other", "FILE"],
    "reproduce a folder": ["reproduce", "press-wolf", "--ptb", "FILE", "--out", "r"],
    "reproduce files": ["reproduce", "inan", "--files", "FILE", "FILE", "FILE", "--out", "r"],
    "translate pairs": ["translate", "--pairs", "FILE", "--out", "t"],
    "translate files": ["translate", "--source", "FILE", "--target", "text", "--out", "t"],
    "lesson": ["lesson", "FILE"],
    "exercise": ["exercise", "FILE"],
}


UNSET_BY_AN_EMPTY_NAME = {"translate pairs", "translate files",
                          "reproduce a folder", "similarity with another"}  # fmt: skip


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_cannot_be_used_is_one_sentence(command, place, capsys):
    for file in BAD_FILES:
        if file == "" and command in UNSET_BY_AN_EMPTY_NAME:
            continue
        refused([file if word == "FILE" else word for word in READERS[command]], capsys, place)


@POSIX
@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero", "/dev/null"])
def test_a_device_without_an_end_is_not_read(device, place, capsys):
    assert "is a device" in refused(["evaluate", "model", "--text", device], capsys, place)


WRONG = [
    ["params", "--plot", "folder"],
    ["params", "--plot", ""],
    ["params", "--plot", "a.xyz"],
    ["params", "--plot", "nofolder/a.png"],
    ["params", "--plot", "text/a.png"],
    ["params", "--vocab-size", "9", "--embed", "4", "--layers", "9" * 30],
    ["params", "model", "--embed", "3"],
    ["similarity", "model", "--plot", "nofolder/a.png"],
    ["similarity", "model", "--words", "nan"],
    ["similarity", "model", "--neighbours", "\x1b[2J"],
    ["train", *SMALL, "--text", "text", "--out", "folder"],
    ["train", *SMALL, "--text", "text", "--out", "text/m"],
    ["train", *SMALL, "--text", "text", "--out", "a\0b"],
    ["train", *SMALL, "--text", "text", "--width", "9" * 30],
    ["train", *SMALL, "--text", "text", "--width", "2000000000", "--out", "m"],
    ["compare", *SMALL, "--text", "text", "--out", "text"],
    ["translate", "--resume"],
    ["check", "--seed", "-1"],
    ["check", "--\x1b[2J"],
    ["exercise", "1", "--limit", "nan"],
    ["exercise", "--folder", "esc\x1b[2J"],
    ["sample", "model", "--seed", "9" * 5000],
    ["\x1b[2J"],
    [],
]


@pytest.mark.parametrize("arguments", WRONG, ids=lambda words: ascii(" ".join(words))[:50])
def test_wrong_arguments_are_one_sentence(arguments, place, capsys):
    refused(arguments, capsys, place)


@pytest.mark.parametrize("error", [TypeError("t"), OverflowError("o"), MemoryError(), OSError("n")])
def test_whatever_input_leads_to_is_one_sentence(error, place, capsys, monkeypatch):
    def fail(args):
        raise error

    monkeypatch.setattr(params, "known_models", fail)
    said = refused(["params"], capsys, place)
    assert said == f"tinytie params: {str(error) or 'not enough memory'}"


def shell(command, folder):
    """The exit code and the error stream of a command line, `tinytie` standing for the program."""
    program = f"{sys.executable} -m tinytie"
    options = {"capture_output": True, "text": True, "timeout": 120}
    found = subprocess.run(["bash", "-c", command.replace("tinytie", program)], cwd=folder,
                           **options)  # fmt: skip
    return found.returncode, found.stderr


@POSIX
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("tinytie params > /dev/full", 2, "tinytie params: [Errno 28] No space left on device\n"),
        ("set -o pipefail; tinytie params | head -1", 0, ""),
        ("set -o pipefail; tinytie --help | true", 0, ""),
        ("tinytie params >&-", 0, ""),
        ("tinytie sample nowhere 2>/dev/full", 2, ""),
        ("tinytie sample nowhere 2>&-", 2, ""),
    ],
)
def test_streams_that_nobody_reads_leave_no_traceback(command, code, said, tmp_path):
    assert shell(command, tmp_path) == (code, said)


def test_a_disk_that_is_full_leaves_no_half_of_a_figure(place, capsys, monkeypatch):
    def full(self, file, **options):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    assert "No space left" in refused(["params", "--plot", "a.png"], capsys, place)
