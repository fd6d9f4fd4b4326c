"""compare, train, evaluate and sample from the outside: what is printed, saved and refused."""

import io
import json
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from tinytie import load_checkpoint
from tinytie.cli.main import main
from tinytie.measure.perplexity import predict

SMALL = ["--width", "6", "--batch-size", "4", "--steps", "5", "--epochs", "2", "--min-count", "1"]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    words = np.random.default_rng(0).choice(["tie", "it", "twice", ",", "no", "más"], (200, 6))
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("".join(" ".join(line) + "\n" for line in words), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def model(text, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("model") / "m.safetensors")
    assert main(["train", "--text", text, *SMALL, "--out", path]) == 0
    return path


def last_json(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.fixture(scope="module")
def comparison(text, tmp_path_factory):
    """What a small comparison printed, and the folder that it left."""
    folder = tmp_path_factory.mktemp("runs") / "c"
    arguments = ["compare", "--text", text, *SMALL, "--seeds", "2", "--out", str(folder)]
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        assert main([*arguments, "--json"]) == 0
    return out.getvalue(), err.getvalue(), folder


def test_compare_prints_a_table_a_sentence_and_a_record(comparison):
    out, err, _ = comparison
    record = json.loads(out.splitlines()[-1])
    for arm in record["arms"]:
        row = next(line for line in out.splitlines() if line.startswith(arm["arm"]))
        assert f"{arm['parameters']:,}" in row and f"{arm['embedding_parameters']:,}" in row
        assert f"{arm['test_perplexity']['mean']:.1f} ± " in row
    assert record["sentence"] in out
    assert "\r" not in err and err.count("best validation perplexity") == 6


def test_compare_saves_figure_record_and_best_model(comparison):
    out, _, folder = comparison
    files = ["best.safetensors", "curves.png", "record.json"]
    assert sorted(os.listdir(folder)) == files and all(str(folder / f) in out for f in files)
    record = json.loads((folder / "record.json").read_text())
    assert len(record["runs"]) == 6
    assert record["arms"] == json.loads(out.splitlines()[-1])["arms"]
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    best = min(record["runs"], key=lambda run: run["valid_loss"])
    assert record["best_model"] == f"{best['arm']}, seed {best['seed']}"
    checkpoint = load_checkpoint(folder / "best.safetensors")
    assert checkpoint.model.tied == (best["arm"] != "untied")
    assert checkpoint.vocabulary[:2] == ["<unk>", "<eos>"] and checkpoint.tokenizer == "word"


def test_the_classes_corpus_comes_with_its_floor_and_no_model_is_below_it(tmp_path, capsys):
    small = ["--width", "8", "--epochs", "1", "--seeds", "1", "--out", str(tmp_path)]
    small += ["--batch-size", "50", "--steps", "50"]
    assert main(["compare", "--corpus", "classes", *small, "--json"]) == 0
    said = capsys.readouterr().out
    record = json.loads(said.splitlines()[-1])
    floor = record["corpus"]["best_test_perplexity"]
    assert f"{record['corpus']['best_perplexity']:.1f}, from the entropy" in said
    assert all(arm["test_perplexity"]["mean"] > floor for arm in record["arms"])


def test_a_quick_look_says_that_it_is_one(text, tmp_path, capsys):
    few = ["--width", "4", "--epochs", "1", "--out", str(tmp_path)]
    assert main(["compare", "--quick", "--text", text, *few]) == 0
    said = capsys.readouterr().out
    assert "too few seeds" in said and "One seed is a look" in said


def test_train_says_what_the_saved_model_gives(text, tmp_path, capsys):
    path = str(tmp_path / "m")
    assert main(["train", "--text", text, *SMALL, "--out", path, "--untied", "--json"]) == 0
    results = last_json(capsys)
    assert results["model"] == path and not load_checkpoint(path).model.tied
    assert main(["evaluate", path, "--text", text, "--json"]) == 0
    assert last_json(capsys)["perplexity"] == pytest.approx(results["train_perplexity"], rel=0.2)


def test_evaluate_gives_the_perplexity_of_a_text(model, text, capsys):
    assert main(["evaluate", model, "--text", text, "--json"]) == 0
    results = last_json(capsys)
    checkpoint = load_checkpoint(model)
    ids = {word: i for i, word in enumerate(checkpoint.vocabulary)}
    tokens = Path(text).read_text(encoding="utf-8").replace("\n", " <eos> ").split()
    expected = predict(checkpoint.model, np.array([ids[t] for t in tokens]))
    assert results["perplexity"] == pytest.approx(expected.perplexity)
    assert results["tokens"] == 7 * 200 - 1 and results["unknown"] == 0


def test_a_sentence_is_the_product_of_its_words(model, capsys):
    assert main(["evaluate", model, "--sentence", "Tie it, xyzzy", "--json"]) == 0
    said = capsys.readouterr().out
    results = json.loads(said.splitlines()[-1])
    assert results["words"] == ["tie", "it", ",", "<unk>", "<eos>"]
    assert results["log_probability"] == pytest.approx(np.log(results["probabilities"]).sum())
    assert "xyzzy (<unk>)" in said


def test_a_sample_follows_its_seed_and_goes_on_from_the_start(model, capsys):
    texts = []
    for seed in ("1", "1", "2"):
        arguments = ["sample", model, "--start", "tie it", "--seed", seed, "--length", "12"]
        assert main([*arguments, "--top-k", "4", "--json"]) == 0
        texts.append(last_json(capsys))
    assert texts[0] == texts[1] != texts[2]
    assert texts[0]["text"].startswith("tie it") and len(texts[0]["tokens"]) == 12


def test_control_characters_of_a_text_are_never_printed_raw(tmp_path, capsys):
    path, out = tmp_path / "evil.txt", str(tmp_path / "m")
    path.write_text("\x1b[2J\x07ab\u202e" * 200)
    assert main(["train", "--text", str(path), "--tokenizer", "char", *SMALL, "--out", out]) == 0
    assert main(["sample", out, "--start", "\x1b[31m", "--length", "200"]) == 0
    assert main(["evaluate", out, "--sentence", "\x1b\x9b"]) == 0
    said = capsys.readouterr()
    assert "\\x1b[31m" in said.out and "\\u202e" in said.out
    assert all(c.isprintable() or c == "\n" for c in said.out + said.err)


def start(arguments, **options):
    """The program as a user starts it, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tinytie", *arguments], start_new_session=True, text=True,
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, **options,
    )  # fmt: skip


def ended(process):
    """Exit code, output and errors once the process, and each that it left, has closed them."""
    try:
        said, errors = process.communicate(timeout=120)  # only a failure takes so long
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, said, errors


def test_the_same_seed_in_another_process_leaves_the_same_bytes(text, model, tmp_path):
    process = start(["train", "--text", text, *SMALL, "--out", str(tmp_path / "m")])
    assert "perplexity" in ended(process)[1]
    assert (tmp_path / "m").read_bytes() == Path(model).read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="needs signals and process groups")
def test_a_comparison_that_is_stopped_while_it_starts_leaves_no_process_behind(tmp_path):
    long = ["--epochs", "10000", "--patience", "10000", "--seeds", "2", "--processes", "2"]
    process = start(["compare", *long, "--quick", "--width", "8", "--out", str(tmp_path / "c")])
    process.stdout.readline()
    process.stdout.readline()  # the text is described, the workers are started
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes at once
    assert ended(process) == (130, "", "tinytie: stopped\n")


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_stopped_training_saves_what_it_learned(tmp_path):
    path = tmp_path / "m"
    process = start(["train", "--corpus", "classes", "--epochs", "10000", "--patience", "10000",
                     "--width", "8", "--out", str(path)])  # fmt: skip
    process.stderr.readline()  # after the first epoch
    process.send_signal(signal.SIGINT)
    code, said, errors = ended(process)
    assert code == 130 and "Traceback" not in errors
    assert str(path) in said
    training = load_checkpoint(path).training
    assert len(training["trainer"]["history"]) >= 1
    assert training["identity"]["options"]["width"] == 8
