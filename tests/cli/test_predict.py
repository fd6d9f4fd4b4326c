"""`tinytie predict` and `tinytie study`, on texts and runs that are small enough."""

import json

import numpy as np
import pytest

from tinytie.cli.main import main
from tinytie.experiments.studies import STUDIES
from tinytie.experiments.studies.dial import DialJob
from tinytie.experiments.studies.foretell import MEASURED
from tinytie.experiments.studies.study import SHORT
from tinytie.experiments.studies.texts import cut, random_successors


def text_of(path, ids):
    """Ids as words, twenty a line."""
    words = [f"w{i}" for i in ids]
    path.write_text("\n".join(" ".join(words[i : i + 20]) for i in range(0, len(words), 20)))
    return str(path)


def test_a_text_is_told_its_overlap_and_the_nearest_measured_ones(tmp_path, capsys):
    text = text_of(tmp_path / "text.txt", random_successors(100, 3)[:6000])
    assert main(["predict", text, "--json"]) == 0
    *said, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert found["beyond_chance"] < 0.2 and f"{found['overlap']:.3f}" in said[0]
    gaps = [abs(near["beyond_chance"] - found["beyond_chance"]) for near in found["nearest"]]
    assert gaps == sorted(gaps) and len(gaps) == 5
    assert {near["name"] for near in found["nearest"]} <= {text.name for text in MEASURED}


def test_a_text_of_a_few_words_is_refused_in_one_sentence(tmp_path, capsys):
    assert main(["predict", text_of(tmp_path / "poor.txt", np.zeros(400, int))]) == 2
    assert "eight" in capsys.readouterr().err


@pytest.fixture
def tiny(monkeypatch):
    """The dial on a very short text, for one epoch."""
    corpus, options = cut("tiny", random_successors(30, 3)[:600]), SHORT.changed(epochs=1, width=4)
    jobs = lambda seeds: [
        DialJob(label=f"{tied} {factor}, {seed}", tied=tied, factor=factor, data=corpus,
                options=options.changed(seed=seed))
        for tied, factor in [(False, 1.0), (True, 0.0), (True, 1.0), (True, 3.0), (True, 10.0),
                             (True, 30.0)]
        for seed in range(seeds)
    ]  # fmt: skip
    monkeypatch.setitem(STUDIES, "dial", STUDIES["dial"]._replace(jobs=jobs))


@pytest.mark.usefixtures("tiny")
def test_a_study_leaves_its_table_record_and_figure(tmp_path, capsys):
    arguments = ["study", "dial", "--seeds", "1", "--processes", "1", "--out", str(tmp_path)]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "E like E_out" in said and "saved: " in said
    record = json.loads((tmp_path / "record.json").read_text())
    assert [row["k"] for row in record["rows"]] == [0, 1, 3, 10, 30] and record["seeds"] == [0]
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
