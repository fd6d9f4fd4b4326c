"""What the program says to somebody who has just met it, or has mistyped."""

import importlib
import shlex

import pytest

import tinytie
from tinytie.cli.main import COMMANDS, GREETING, main, parser_of

MODULES = {name: importlib.import_module(module) for name, module in COMMANDS.items()}


def test_alone_it_greets_with_three_things_that_are_commands(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out == GREETING + "\n"
    shown = [line.split("   ")[0] for line in GREETING.splitlines() if line.startswith("  ")]
    assert len(shown) == 3
    for line in shown:
        parser_of(MODULES).parse_args(shlex.split(line)[1:])
    assert all(len(line) <= 100 for line in GREETING.splitlines())


def test_it_says_its_version(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"tinytie {tinytie.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself_with_an_example_that_can_be_read(name, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([name, "-h"])
    example = MODULES[name].EXAMPLE
    said = " ".join(capsys.readouterr().out.split())
    assert f"example: {example}" in said
    program, *words = shlex.split(example)
    assert program == "tinytie" and parser_of(MODULES).parse_args(words).command == name


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["compar"], "compare"),
        (["lessons", "1"], "lesson"),
        (["train", "--epoch-s", "3"], "--epochs"),
        (["train", "--cell", "lstn"], "lstm"),
        (["sample", "m", "--legnth", "3"], "--length"),
    ],
)
def test_a_mistyped_name_brings_the_nearest(words, meant, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert f"; did you mean {meant}?" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["xyzzyq"])
    assert "did you mean" not in capsys.readouterr().err
