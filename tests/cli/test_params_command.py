"""`tinytie params`: the table, a file, sizes, the figure, and what it refuses."""

import json

import pytest

from tinytie import RNNLM, count_parameters, save
from tinytie.cli.main import main
from tinytie.measure.known_models import KNOWN_MODELS


def last_line(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_without_arguments_it_lists_the_known_models(capsys):
    assert main(["params"]) == 0
    out = capsys.readouterr().out
    assert all(f"{model.name} " in out for model in KNOWN_MODELS)
    assert "124,439,808" in out
    assert "(500.0)" in out


def test_the_table_as_json_holds_every_number(capsys):
    assert main(["params", "--json"]) == 0
    models = last_line(capsys)["models"]
    assert len(models) == len(KNOWN_MODELS)
    for known, found in zip(KNOWN_MODELS, models, strict=True):
        assert (found["name"], found["total"]) == (known.name, known.total)
        assert found["share"] == known.share


@pytest.mark.parametrize("tied", [True, False])
def test_a_file_is_counted_as_its_model(tied, tmp_path, capsys):
    model = RNNLM(50, 4, 6, cell="gru", tied=tied, rng=0)
    save(tmp_path / "model.safetensors", model)
    assert main(["params", str(tmp_path / "model.safetensors"), "--json"]) == 0
    assert last_line(capsys) == count_parameters(model)


@pytest.mark.parametrize("flags", [[], ["--untied"], ["--no-bias"], ["--projection"]])
@pytest.mark.parametrize("hidden", [None, 6, 3])
def test_given_sizes_count_as_the_model_would(flags, hidden, capsys):
    words = ["params", "--vocab-size", "50", "--embed", "4", "--cell", "lstm", "--layers", "2"]
    words += [] if hidden is None else ["--hidden", str(hidden)]
    assert main([*words, *flags, "--json"]) == 0
    model = RNNLM(
        50, 4, hidden, cell="lstm", n_layers=2, tied="--untied" not in flags,
        output_bias="--no-bias" not in flags, projection="--projection" in flags or None, rng=0,
    )  # fmt: skip
    assert last_line(capsys) == count_parameters(model)


def test_sizes_beyond_memory_are_counted_all_the_same(capsys):
    assert main(["params", "--vocab-size", "100000000", "--embed", "100000", "--json"]) == 0
    assert last_line(capsys)["savings"] == 10**13


@pytest.mark.parametrize("words", [[], ["--vocab-size", "50", "--embed", "4"]])
def test_plot_saves_a_figure(words, tmp_path, capsys):
    path = tmp_path / "figure.png"
    assert main(["params", *words, "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert str(path) in capsys.readouterr().out
