"""`tinytie translate`: what it prints, saves, and refuses."""

import json

import pytest

from tinytie.cli.main import main
from tinytie.text.numbers import number_pairs

SMALL = ["--width", "6", "--epochs", "1", "--merges", "20", "--batch-size", "8"]


@pytest.fixture
def files(tmp_path):
    """A file of pairs, and the same in two files."""
    pairs = number_pairs(40, 0)
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), "utf-8")
    for name, side in (("en", 0), ("fr", 1)):
        text = "".join(f"{pair[side]}\n" for pair in pairs)
        (tmp_path / f"numbers.{name}").write_text(text, "utf-8")
    return tmp_path


def translate(capsys, *arguments):
    code = main(["translate", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_a_file_of_pairs_gives_a_table_figures_and_a_record(files, capsys):
    out = files / "out"
    code, printed, progress = translate(
        capsys, "--pairs", files / "pairs.tsv", "--out", out, "--json", *SMALL
    )
    assert code == 0
    record = json.loads(printed.splitlines()[-1])
    assert [arm["tying"] for arm in record["arms"]] == ["none", "decoder", "three-way"]
    assert record["pairs"] == {"train": 32, "valid": 4, "test": 4}
    for arm in record["arms"]:
        assert f"{arm['parameters']:,}" in printed
        assert 0 <= arm["exact_match"] <= 1
        assert 0 <= arm["bleu"] <= 100
        assert arm["valid_perplexity"] > 1
    assert f"both use {record['shared_subwords']:.1%}" in printed
    for name in ("curves", "attention"):
        with open(record["files"][name], "rb") as file:
            assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    saved = json.loads((out / "record.json").read_text())
    assert len(saved["curves"]["decoder"]) == 1
    assert "three-way: epoch 1/1" in progress
    assert " left" in progress


def test_two_aligned_files_are_the_same_text(files, capsys):
    outputs = []
    for name, text in (
        ("a", ["--pairs", files / "pairs.tsv"]),
        ("b", ["--source", files / "numbers.en", "--target", files / "numbers.fr"]),
    ):
        _, printed, _ = translate(capsys, *text, "--out", files / name, "--json", *SMALL)
        arms = json.loads(printed.splitlines()[-1])["arms"]
        outputs.append([(arm["valid_perplexity"], arm["bleu"]) for arm in arms])
    assert outputs[0] == outputs[1]


def test_given_test_pairs_are_used_and_the_direction_can_be_turned(files, capsys):
    (files / "test.tsv").write_text("a\tb\nc\td\n", "utf-8")
    code, printed, _ = translate(
        capsys, "--pairs", files / "pairs.tsv", "--test-pairs", files / "test.tsv", "--reverse",
        "--out", files / "out", "--json", *SMALL,
    )  # fmt: skip
    assert code == 0
    assert json.loads(printed.splitlines()[-1])["pairs"] == {"train": 36, "valid": 4, "test": 2}


def test_compare_with_this_task_is_this_command(files, capsys):
    arguments = ["--pairs", str(files / "pairs.tsv"), "--json", *SMALL]
    records = []
    for name in (
        ["translate"],
        ["compare", "--task", "translate"],
        ["compare", "--task=translate"],
    ):
        assert main([*name, *arguments, "--out", str(files / "out")]) == 0
        records.append(json.loads(capsys.readouterr().out.splitlines()[-1]))
        for arm in records[-1]["arms"]:
            del arm["cpu_seconds"]
    assert records[0] == records[1] == records[2]
