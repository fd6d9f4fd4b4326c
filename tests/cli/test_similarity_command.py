"""`tinytie similarity`, on checkpoints small enough to know the answer."""

import json

import numpy as np
import pytest

import tinytie
from tinytie.cli.main import main

WORDS = ["<unk>", "<eos>", "cat", "tiger", "bank", "money", "green", "idea"]


@pytest.fixture
def tied(tmp_path):
    """Rows that agree with people: cat and tiger alike, bank and money alike, green alone."""
    model = tinytie.RNNLM(len(WORDS), 3, rng=0)
    model.params["E"][2:8] = [[1, 0, 0], [1, 0.1, 0], [0, 1, 0], [0, 1, 0.4], [0, 0, 1], [1, 1, 1]]
    return saved(tmp_path / "tied.safetensors", model)


@pytest.fixture
def untied(tmp_path):
    return saved(tmp_path / "untied.safetensors", tinytie.RNNLM(len(WORDS), 3, tied=False, rng=1))


def saved(path, model, words=WORDS):
    tinytie.save(path, model, vocabulary=words)
    return str(path)


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "people.txt"
    path.write_text("cat\ttiger\t9\nbank\tmoney\t8\ncat\tgreen\t1\ncat\tdog\t7\n")
    return str(path)


def last_line(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_a_tied_checkpoint_has_one_matrix_and_its_pairs_are_counted(tied, pairs, capsys):
    assert main(["similarity", tied, pairs, "--json"]) == 0
    (row,) = last_line(capsys)["sets"]
    assert row == {"set": "people", "matrix": "E", "spearman": pytest.approx(1.0),
                   "interval": [-1.0, 1.0], "covered": 3, "total": 4}  # fmt: skip


def test_a_correlation_of_few_pairs_comes_with_a_warning(tied, pairs, tmp_path, capsys):
    assert main(["similarity", tied, pairs]) == 0
    said = capsys.readouterr().out
    assert "people: 3 pairs are too few" in said and "-1.00 to 1.00" in said
    many = tmp_path / "many.txt"
    many.write_text("cat\ttiger\t9\nbank\tgreen\t8\n" * 25)
    assert main(["similarity", tied, str(many)]) == 0
    assert "too few" not in capsys.readouterr().out


def test_an_untied_checkpoint_is_scored_on_each_side(untied, pairs, capsys):
    assert main(["similarity", untied, pairs, "--json", "--words", "6"]) == 0
    found = last_line(capsys)
    assert [row["matrix"] for row in found["sets"]] == ["E_in", "E_out"]
    (distances,) = found["distances"]
    assert distances["matrices"] == ["E_in", "E_out"] and distances["words"] == 6


def test_two_checkpoints_are_compared_by_their_distances(tied, untied, capsys):
    assert main(["similarity", tied, "--other", untied, "--json"]) == 0
    found = [row["matrices"] for row in last_line(capsys)["distances"]]
    assert found == [["E", "other E_in"], ["E", "other E_out"], ["other E_in", "other E_out"]]


def test_the_nearest_words_are_named(tied, capsys):
    assert main(["similarity", tied, "--neighbours", "Cat", "--json"]) == 0
    (found,) = last_line(capsys)["neighbours"]
    assert found["word"] == "cat"
    assert found["nearest"]["E"][0] == ["tiger", pytest.approx(0.995, abs=1e-3)]


@pytest.mark.parametrize("files", [True, False], ids=["words of the files", "frequent words"])
def test_the_map_is_a_figure_with_axes_named(tied, pairs, tmp_path, files):
    png = tmp_path / "map.png"
    assert main(["similarity", tied, *([pairs] if files else []), "--plot", str(png)]) == 0
    assert png.read_bytes().startswith(b"\x89PNG")


def test_words_with_dollars_are_drawn_as_they_are():
    from tinytie.plots.similarity import word_maps

    figure = word_maps({"E": np.eye(3)[:, :2]}, ["$x", "y$z$", "_"])
    figure.savefig("/dev/null", format="png")
    assert [text.get_text() for text in figure.axes[0].texts] == ["$x", "y$z$", "_"]


def test_no_covered_pair_is_nan_on_screen_and_null_in_json(tied, tmp_path, capsys):
    path = tmp_path / "none.txt"
    path.write_text("xylem phloem 5\n")
    assert main(["similarity", tied, str(path), "--json"]) == 0
    (row,) = last_line(capsys)["sets"]
    assert row["spearman"] is None and row["covered"] == 0


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["--neighbours", "dog"], "'dog' is not in the vocabulary of 8 words"),
        (["--words", "2"], "--words must be at least 3"),
        (["nothing.txt"], "there is no file 'nothing.txt'"),
    ],
)
def test_bad_input_is_one_sentence(tied, arguments, sentence, capsys):
    assert main(["similarity", tied, *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error and len(error.splitlines()) == 1


def test_a_checkpoint_without_words_says_so(tmp_path, capsys):
    path = saved(tmp_path / "mute.safetensors", tinytie.RNNLM(8, 3, rng=0), words=None)
    assert main(["similarity", path]) == 2
    assert "vocabulary" in capsys.readouterr().err


def test_another_vocabulary_is_refused(tied, tmp_path, capsys):
    words = [word.upper() for word in WORDS]
    other = saved(tmp_path / "other.safetensors", tinytie.RNNLM(8, 3, rng=0), words)
    assert main(["similarity", tied, "--other", other]) == 2
    assert "another vocabulary" in capsys.readouterr().err
