"""Every command on input that it cannot use: one sentence, the right exit code, no litter."""

import json
import os
import subprocess
import sys

import pytest

from tinytie import RNNLM, Translator, save
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
    (tmp_path / "short").write_text("a b a b\n" * 12)
    words = ["<unk>", "<eos>", "tie", "it"]
    save(tmp_path / "model", RNNLM(4, 2, rng=0), vocabulary=words, tokenizer="word")
    save(tmp_path / "translator", Translator(4, 2, rng=0), vocabulary=words, tokenizer="word")
    large = RNNLM(4, 2, rng=0)
    large.params["c"][2:] = 1.7e308, -1.7e308
    save(tmp_path / "large", large, vocabulary=words, tokenizer="word")
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


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_cannot_be_used_is_one_sentence(command, place, capsys):
    for file in BAD_FILES:
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
    ["params", "model", "--cell", "lstm"],
    ["evaluate", "translator", "--sentence", "tie"],
    ["evaluate", "large", "--text", "text"],
    ["sample", "translator"],
    ["sample", "model", "--length", "1e3"],
    ["similarity", "model", "--plot", "nofolder/a.png"],
    ["similarity", "model", "--words", "nan"],
    ["similarity", "model", "--neighbours", "\x1b[2J"],
    ["train", *SMALL, "--text", "text", "--out", "folder"],
    ["train", *SMALL, "--text", "text", "--out", "text/m"],
    ["train", *SMALL, "--text", "text", "--out", "a\0b"],
    ["train", *SMALL, "--text", "text", "--width", "9" * 30],
    ["train", *SMALL, "--text", "text", "--width", "2000000000", "--out", "m"],
    ["train", *SMALL, "--text", "text", "--out", ""],
    ["train", *SMALL, "--text", "text", "--corpus", "topics"],
    ["train", *SMALL, "--text", "text", "--heads", "2"],
    ["compare", *SMALL, "--text", "text", "--out", "text"],
    ["compare", *SMALL, "--text", "text", "--out", "/proc"],
    ["compare", *SMALL, "--text", "text", "--seeds", "1000000000"],
    ["compare", *SMALL, "--text", "text", "--layers", "1000000000"],
    ["compare", *SMALL, "--text", "text", "--batch-size", "1000000", "--out", "c"],
    ["reproduce", "inan", "--files", "text", "text", "text", "--out", "r"],
    ["reproduce", "inan", "--files", "text", "text", "text", "--subspace", "--rows", "al"],
    ["reproduce", "inan", "--rows", ""],
    ["check", "--tied", "--untied"],
    ["check", "--plot", "text"],
    ["check", "--\x1b[2J"],
    ["exercise", "1", "--limit", "nan"],
    ["exercise", "--folder", "esc\x1b[2J"],
    ["sample", "model", "--seed", "9" * 5000],
    ["\x1b[2J"],
]


SAID = {  # the arguments, and what their sentence must hold
    "train --text nowhere.txt": "there is no file 'nowhere.txt'",
    "train --text short": "too few for one batch of",
    "train --valid a": "--valid and --test go with --text",
    "train --width 0": "--width: must be a whole number from 1 to 1,000,000,000",
    "train --epochs two": "--epochs: must be a whole number",
    "train --dropout 1": "--dropout: must be a number from 0 up to",
    "train --rate nan": "--rate: must be a number above 0, got 'nan'",
    "train --cell gruu": "--cell: invalid choice: 'gruu' (choose from",
    "train --optimizer nosuch": "--optimizer: invalid choice: 'nosuch' (choose from",
    "train --model nosuch": "--model: invalid choice: 'nosuch' (choose from",
    "train --model transformer --cell gru": "--model transformer has no --cell",
    "compare --corpus classes --min-count 2": "has its own words",
    "compare --merges 9": "--task language has no --merges",
    "compare --resume": "--task language has no --resume",
    "evaluate nowhere --sentence a": "there is no model 'nowhere'",
    "evaluate nowhere": "one of the arguments --text --sentence is required",
    "sample nowhere --temperature 0": "--temperature: must be a number above 0",
    "sample text": "text",
    "translate --heads 2": "--task translate has no --heads",
    "translate --corpus topics": "--task translate has no --corpus",
    "translate --seeds 2": "--task translate has no --seeds",
    "translate --source a": "--source and --target go together",
    "translate --pairs a --target b": "give --pairs, or --source and --target, not both",
    "translate --test-target a": "--test-source and --test-target go together",
    "translate --resume": "--resume needs --out",
    "translate --pairs no-such-file": "there is no file 'no-such-file'",
    "translate --source text --target short": "'text' has 40 lines but 'short' has 12;",
    "translate --test-source text --test-target text": "to train on as well",
    "reproduce press-wolf --ptb nowhere": "'nowhere' must hold ptb.train.txt",
    "reproduce press-wolf --rows base,tied": "no row 'tied'; there are base, wt, pr, wt+pr",
    "reproduce press-wolf --gamma 1": "belong to inan, not to press-wolf",
    "reproduce press-wolf --subspace": "belong to inan, not to press-wolf",
    "reproduce inan --epochs 0": "--epochs",
    "reproduce inan --paths 0": "--paths",
    "reproduce inan --tau 0": "--tau",
    "reproduce inan --dropout 1": "--dropout",
    "reproduce inan --seed -1": "--seed",
    "reproduce press-wolf --rows wt --out text": "text",
    "check --seed -1": "--seed: must be a whole number of at least 0",
    "check --model transformer --padding": "no model that is checked has padding True, model",
    "train --model feedforward --layers 2": "--model feedforward has no --layers",
    "params no-such-file": "no-such-file",
    "params --vocab-size 50": "sizes need both --vocab-size and --embed",
    "params --hidden 5": "sizes need both --vocab-size and --embed",
    "params --vocab-size 1 --embed 4": "vocab_size must be at least 2",
    "params --untied": "sizes need both --vocab-size and --embed",
    "params file --layers 2": "give a model file or sizes, not both",
    "params file --embed 4": "give a model file or sizes, not both",
    "params --plot no/such/folder/figure.png": "no/such/folder",
}


@pytest.mark.parametrize("arguments", SAID)
def test_the_sentence_says_what_is_wrong(arguments, place, capsys):
    assert SAID[arguments] in refused(arguments.split(), capsys, place)


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


def test_an_error_of_the_system_says_what_and_where_without_its_number(place, capsys):
    said = refused(["params", "text/below"], capsys, place)
    assert said == "tinytie params: Not a directory: 'text/below'"
    said = refused(["train", *SMALL, "--text", "text", "--out", "folder"], capsys, place)
    assert said.startswith("tinytie train: cannot save in 'folder' (This is a folder, a file")


def test_numbers_that_overflow_are_null_in_json_and_no_warning(place, capsys):
    train = ["train", *SMALL, "--text", "text", "--rate", "1e30", "--out", "m", "--json"]
    assert main(train) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["valid_perplexity"] is None and found["epochs"] == 1


def test_characters_that_no_font_has_give_no_warning(place, capsys):
    words = ["$_{", "\x07", "\u4e16", "\ud800"]
    save(place / "odd", RNNLM(4, 2, rng=0), vocabulary=words)
    (place / "scores").write_text("$_{ \u4e16 1\n\x07 $_{ 2\n")
    assert main(["similarity", "odd", "scores", "--plot", "map.png", "--neighbours", "$_{"]) == 0
    assert "\\x07" in (said := capsys.readouterr()).out and "\x07" not in said.out
    assert said.err == ""
    (place / "odd").rename(place / "$_{\udcff")
    assert main(["params", "$_{\udcff", "--plot", "parts.png"]) == 0
    assert capsys.readouterr().err == ""


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
        ("tinytie params > /dev/full", 2, "tinytie params: No space left on device\n"),
        ("set -o pipefail; tinytie params | head -1", 0, ""),
        ("set -o pipefail; tinytie --help | true", 0, ""),
        ("tinytie params >&-", 0, ""),
        ("tinytie sample nowhere 2>/dev/full", 2, ""),
        ("tinytie sample nowhere 2>&-", 2, ""),
        ("tinytie lesson <&-", 0, ""),
        ("PYTHONIOENCODING=ascii tinytie lesson", 0, ""),
        ("LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 tinytie params", 0, ""),
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
