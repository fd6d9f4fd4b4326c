"""`tinytie vectors`, and vectors back into `tinytie train`."""

import json

import numpy as np
import pytest

import tinytie
from tinytie.cli.main import main
from tinytie.text.vectors import read_vectors

WORDS = ["<unk>", "<eos>", " ", "man", "woman", "king", "queen", "a\tb", "ÿ", "other"]
ROWS = np.array([
    [-1, -2, -1], [9, 1, 1], [1, 9, 1], [3, 0, 0.1], [3, 3, 0], [4, 0, 4.2], [3, 3.1, 3],
    [-1, 0, 0], [0, -1, 1 / 3], [-1, -1, 0],
])  # fmt: skip


@pytest.fixture
def model(tmp_path):
    model = tinytie.RNNLM(len(WORDS), 3, rng=0)
    model.params["E"][...] = ROWS
    path = tmp_path / "m.safetensors"
    tinytie.save(path, model, vocabulary=WORDS, tokenizer="char")
    return str(path)


def last_line(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_vectors_go_out_to_the_last_digit_and_come_back(model, tmp_path, capsys):
    out = tmp_path / "new folder" / "vectors.txt"
    assert last_line(capsys, "vectors", model, "--out", str(out))["matrix"] == "E"
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "10 3" and lines[3].split(" ") == ["␣", "1.0", "9.0", "1.0"]
    assert all(len(line.split(" ")) == 4 for line in lines[1:])  # as word2vec's readers split it
    back = read_vectors(out, [word for word in WORDS if "\t" not in word])
    assert back.found.all()
    np.testing.assert_array_equal(back.rows, np.delete(ROWS, 7, axis=0))


def test_the_library_that_people_use_reads_them(model, tmp_path):
    models = pytest.importorskip("gensim.models")
    out = tmp_path / "vectors.txt"
    assert main(["vectors", model, "--out", str(out)]) == 0
    theirs = models.KeyedVectors.load_word2vec_format(out, datatype=np.float64)
    np.testing.assert_array_equal(theirs.vectors, ROWS)
    assert theirs.most_similar(positive=["woman", "king"], negative=["man"])[0][0] == "queen"


def test_neighbours_and_analogies(model, capsys):
    asked = ["--neighbours", "woman", "--analogy", "man", "woman", "king"]
    found = last_line(capsys, "vectors", model, *asked)
    assert found["analogy"][0][0] == "queen" and len(found["analogy"]) == 7
    assert found["neighbours"]["woman"][0][0] == "queen"
    unit = ROWS / np.maximum(np.linalg.norm(ROWS, axis=1, keepdims=True), 1e-9)
    wish = unit[4] - unit[3] + unit[5]
    cosine = unit[6] @ wish / np.linalg.norm(wish)
    assert found["analogy"][0][1] == pytest.approx(cosine, abs=1e-4)


@pytest.mark.parametrize("freeze", [True, False])
def test_training_starts_from_vectors(freeze, tmp_path, capsys):
    text, file, out = (tmp_path / name for name in ("t.txt", "v.txt", "m"))
    text.write_text("the cat sat on the mat\n" * 60)
    file.write_text("cat 0.5 0.25 -0.5\nmat 0.25 0.5 0.5\nzebra 1 1 1\n")
    words = ["train", "--text", str(text), "--vectors", str(file), "--epochs", "1", "--batch-size",
             "2", "--steps", "4", "--hidden", "5", "--out", str(out)]  # fmt: skip
    assert main([*words, *(["--freeze"] if freeze else [])]) == 0
    assert "2 of 7 words found" in capsys.readouterr().out
    model, vocabulary, *_ = tinytie.load_checkpoint(out)
    cat, mat = (model.params["E"][vocabulary.index(word)] for word in ("cat", "mat"))
    held = bool(np.allclose(cat[[0, 1, 2]] * mat[1] / cat[0], [mat[1], mat[0], -mat[2]]))
    assert model.params["E"].shape == (7, 3) and held == freeze


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "say what to do"),
        (["--neighbours", "dog"], "'dog' is not in the vocabulary"),
        (["--out", "x", "--matrix", "E_in"], "has no E_in, it has E"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, model, capsys):
    assert main(["vectors", model, *words]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1
    assert main(["train", "--freeze"]) == 2
