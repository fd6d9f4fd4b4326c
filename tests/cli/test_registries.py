"""What is registered at run time is known to the command line, and nothing else is touched."""

import json
import sys
import types

import pytest

from tests.training.optimizer_bugs import Momentum
from tinytie import RNNLM, load
from tinytie.cli.main import COMMANDS, main
from tinytie.models.bodies import BODIES
from tinytie.training.optimizers import OPTIMIZERS

SMALL = ["--width", "4", "--batch-size", "2", "--steps", "3", "--epochs", "1", "--min-count", "1"]


@pytest.fixture
def text(tmp_path):
    (tmp_path / "text").write_text("tie it , no\n" * 40)
    return ["--text", str(tmp_path / "text"), *SMALL, "--out", str(tmp_path / "out"), "--json"]


def found(arguments, capsys):
    assert main(arguments) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_an_optimizer(text, capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(OPTIMIZERS, "momentum", Momentum)
    perplexities = [
        found(["train", *text, *more], capsys)["train_perplexity"]
        for more in ([], ["--optimizer", "momentum"], ["--optimizer", "sgd"])
    ]
    assert len(set(perplexities)) == 3
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    assert "{adam,sgd,momentum}" in capsys.readouterr().out


def test_a_body(text, capsys, tmp_path, monkeypatch):
    gated = BODIES["rnn"]._replace(
        arguments=lambda width, options: {"d_embed": width, "d_hidden": 7, "cell": "gru"}
    )
    monkeypatch.setitem(BODIES, "gated", gated)
    assert found(["train", "--model", "gated", *text], capsys)["epochs"] == 1
    assert load(tmp_path / "out").config["cell"] == "gru"
    sizes = ["--vocab-size", "9", "--embed", "4"]
    count = found(["params", "--model", "gated", *sizes, "--json"], capsys)
    model = RNNLM(9, 4, 7, cell="gru", rng=0)
    assert count["total"] == sum(array.size for array in model.params.values())


def test_a_command(capsys, monkeypatch):
    module = types.ModuleType("mine")
    module.HELP, module.EXAMPLE = "a command from outside", "tinytie mine"
    module.add_arguments = lambda parser: parser.add_argument("--answer", type=int)
    module.run = lambda args: ({"answer": args.answer}, 0)
    monkeypatch.setitem(sys.modules, "mine", module)
    monkeypatch.setitem(COMMANDS, "mine", "mine")
    assert found(["mine", "--answer", "42", "--json"], capsys) == {"answer": 42}
