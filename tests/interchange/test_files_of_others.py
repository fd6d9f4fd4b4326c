"""Files of other programs: small ones of the same format, through every command."""

import json

import numpy as np
import pytest

import tinytie
from tests.interchange import twins
from tests.interchange.test_names import GPT2, SMALL, scores
from tests.interchange.twins import shaken
from tests.text.test_byte_level import END, MERGES, SPELLINGS
from tests.text.test_byte_level import SMALL as SUBWORDS
from tinytie.cli.main import main
from tinytie.files.safetensors import open_arrays, write_arrays
from tinytie.interchange.opening import open_model

V, d = len(SPELLINGS), 8
KIND = {"n_heads": 2, "n_layers": 2, "max_len": 12, "norm": "pre", "final_norm": True,
        "activation": "gelu", "dtype": np.float32}  # fmt: skip


def small_gpt2():
    return shaken(tinytie.TransformerLM(V, d, **KIND, rng=0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """As it is released: no prefix, a mask in each block, one token matrix, words beside it."""
    folder = tmp_path_factory.mktemp("gpt2")
    names = tinytie.to_torch(small_gpt2(), names="gpt2")
    arrays = {name.removeprefix("transformer."): array for name, array in names.items()}
    arrays |= {f"h.{n}.attn.bias": np.tri(12, dtype=np.float32)[None, None] for n in range(2)}
    with open(folder / "model.safetensors", "wb") as file:
        write_arrays(file, arrays, {"format": "pt"})
    (folder / "config.json").write_text(
        json.dumps({"n_head": 2, "activation_function": "gelu_new"})
    )
    for name, text in SUBWORDS.files().items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def last_line(capsys, *words):
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_a_gpt2_is_opened_as_it_lies_with_its_scores(folder):
    opened = open_model(folder)
    assert opened.model.tied and opened.model.dtype == np.float32
    with open_arrays(folder / "model.safetensors") as arrays:
        names = {name: array.astype(np.float64) for name, array in arrays.items()}
    ids = np.array([3, 1, 4, 1, 5])
    ours = opened.model.astype(np.float64).logits(ids[None])[0][0]
    np.testing.assert_allclose(ours, twins.gpt2(names, ids, 2), rtol=0, atol=1e-12)


def test_params_counts_its_token_matrix_once(folder, capsys):
    count = last_line(capsys, "params", folder)
    assert count["embedding"] == count["savings"] == V * d
    assert count == last_line(capsys, "params", folder / "model.safetensors")


def test_evaluate_and_sample_read_and_write_its_subwords(folder, tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("the cat then\nthe thé!")
    found = last_line(capsys, "evaluate", folder, "--text", text)
    ids = SUBWORDS.encode("the cat then\nthe thé!")
    assert found["tokens"] == len(ids) - 1 and found["unknown"] == 0
    found = last_line(capsys, "evaluate", folder, "--sentence", "the cat")
    assert found["words"] == SUBWORDS.pieces("the cat")
    model = open_model(folder).model
    s = model.logits(np.append(SUBWORDS.ids[END], SUBWORDS.encode("the cat"))[None, :-1])[0][0]
    p = np.exp(s[0] - s[0].max())
    first = p[SUBWORDS.ids["th"]] / p.sum()
    assert found["probabilities"][0] == pytest.approx(first, rel=1e-5)
    found = last_line(capsys, "sample", folder, "--start", "the cat ", "--length", 30)
    assert found["text"].startswith("the cat ") and len(found["tokens"]) == 30


def test_similarity_finds_a_word_with_its_blank(folder, tmp_path, capsys):
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("cat the 3\ncat ca 5\ncat dog 1\n")
    found = last_line(capsys, "similarity", folder, pairs, "--neighbours", "cat", "--words", 5)
    assert found["neighbours"][0]["word"] == "␣cat"
    E = open_model(folder).model.params["E"].astype(np.float64)
    row, (nearest, cosine) = SUBWORDS.ids["Ġcat"], found["neighbours"][0]["nearest"]["E"][0]
    cosines = E @ E[row] / np.linalg.norm(E, axis=1) / np.linalg.norm(E[row])
    cosines[row] = -1
    assert SUBWORDS.words.index(nearest) == cosines.argmax()
    assert cosine == pytest.approx(cosines.max(), abs=1e-4)
    assert found["sets"][0]["covered"] == 2


def test_convert_brings_it_to_us_and_back(folder, tmp_path, capsys):
    ours, theirs = tmp_path / "ours.safetensors", tmp_path / "theirs"
    assert (
        last_line(capsys, "convert", folder, "--to", "tinytie", "--out", ours)["savings"] == V * d
    )
    assert tinytie.load(ours).embedding_names == ("E",)
    assert open_model(ours).reader().merges == MERGES
    last_line(capsys, "convert", ours, "--to", "gpt2", "--out", theirs)
    for name in ("vocab.json", "merges.txt"):
        assert (theirs / name).read_bytes() == (folder / name).read_bytes()
    with (
        open_arrays(folder / "model.safetensors") as one,
        open_arrays(theirs / "model.safetensors") as two,
    ):
        for name in two:
            np.testing.assert_array_equal(two[name], one[name.removeprefix("transformer.")])
    for words in (["the cat"], ["the\n thé"]):
        pieces = [last_line(capsys, "evaluate", place, "--sentence", *words)
                  for place in (folder, ours, theirs)]  # fmt: skip
        assert pieces[0] == pieces[1] == pieces[2]


@pytest.mark.parametrize(
    "model",
    [
        tinytie.RNNLM(9, 4, 5, cell="lstm", n_layers=2, embed_scale=2.0, dropout=0.5, rng=0),
        tinytie.RNNLM(9, 4, activation="relu", padding_id=3, tied=False, rng=0),
        tinytie.TransformerLM(9, 4, **SMALL, positions="sinusoidal", norm="pre", rng=0),
    ],
    ids=["lstm", "rnn", "transformer"],
)
def test_a_file_for_pytorch_comes_back_whole(model, tmp_path, capsys):
    words = [f"w{n}" for n in range(7)] + ["<unk>", "<eos>"]
    ours, theirs, again = (tmp_path / name for name in ("ours", "theirs", "again"))
    tinytie.save(ours, shaken(model), vocabulary=words, tokenizer="space")
    last_line(capsys, "convert", ours, "--to", "torch", "--out", theirs)
    last_line(capsys, "convert", theirs, "--to", "tinytie", "--out", again)
    found = tinytie.load_checkpoint(again)
    assert found.vocabulary == words and found.model.config == model.config
    np.testing.assert_array_equal(scores(found.model), scores(model))


def test_a_file_of_pytorchs_own_needs_what_no_array_tells(tmp_path, capsys):
    model = shaken(tinytie.TransformerLM(9, 4, **SMALL | GPT2, rng=0))
    names = tinytie.to_torch(model)
    names["emb.weight"] = names.pop("E")
    path, out = tmp_path / "theirs.safetensors", tmp_path / "ours.safetensors"
    with open(path, "wb") as file:
        write_arrays(file, names, {})
    told = ["convert", path, "--to", "tinytie", "--out", out, "--called", "emb.weight=E"]
    last_line(capsys, *told, "--heads", 2, "--norm", "pre", "--activation", "gelu")
    np.testing.assert_array_equal(scores(tinytie.load(out)), scores(model))
    for words, sentence in [(told, "no array tells n_heads"), (told[:-2], "'emb.weight'")]:
        assert main([*map(str, words)]) == 2
        error = capsys.readouterr().err
        assert sentence in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f / "config.json").write_text('{"activation_function": "gelu"}'), "gelu_new"),
        (lambda f: (f / "config.json").write_text("{"), "config.json"),
        (lambda f: (f / "config.json").unlink(), "no multiple of 64"),
        (lambda f: (f / "vocab.json").write_text(json.dumps(dict.fromkeys("ab"))), "vocab.json"),
        (lambda f: (f / "model.safetensors").unlink(), "holds no model.safetensors"),
    ],
)
def test_a_folder_that_is_no_gpt2_is_refused_in_one_sentence(
    spoil, message, folder, tmp_path, capsys
):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    spoil(tmp_path)
    assert main(["evaluate", str(tmp_path), "--sentence", "the"]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
