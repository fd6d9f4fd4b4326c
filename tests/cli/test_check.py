"""`tinytie check`."""

import json

import pytest

from tests.planted import MODEL_BUGS, planted
from tinytie.cli.main import main
from tinytie.gradcheck.configurations import Recurrent, Transformer, configurations


def test_a_selection_is_checked_with_one_line_a_parameter(capsys):
    assert main(["check", "--cell", "rnn", "--layers", "1", "--tied", "--no-dropout"]) == 0
    out = capsys.readouterr().out
    assert "rnn, 1 layer, tied" in out and "FAIL" not in out
    assert "PASS      E " in out and "worst relative error" in out and " at E[" in out


def test_a_planted_bug_exits_with_1_and_names_the_cause(capsys):
    options = ["--cell", "rnn", "--layers", "1", "--tied", "--no-dropout", "--no-scale"]
    with planted(MODEL_BUGS[0]):
        assert main(["check", *options]) == 1
    assert "cause: input path missing" in capsys.readouterr().out


def test_json_is_the_last_line(capsys):
    options = ["--cell", "lstm", "--layers", "1", "--untied", "--no-padding", "--json"]
    assert main(["check", *options, "--seed", "3"]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["verdict"] == "PASS" and said["seed"] == 3
    assert {case["cell"] for case in said["configurations"]} == {"lstm"}
    assert {row["verdict"] for row in said["configurations"][0]["rows"]} == {"PASS"}


def test_the_figures_are_saved(tmp_path, capsys):
    one = ["--cell", "rnn", "--layers", "1", "--tied", "--no-dropout", "--no-scale"]
    assert main(["check", *one, "--plot", str(tmp_path / "new")]) == 0
    for name in ("error-against-step.png", "residual-of-E.png"):
        assert (tmp_path / "new" / name).read_bytes().startswith(b"\x89PNG")


def test_a_transformer_is_checked(capsys):
    assert main(["check", "--cell", "transformer", "--tied", "--no-dropout", "--layers", "1"]) == 0
    out = capsys.readouterr().out
    assert "transformer, 1 layer, tied" in out and "block0.Wqkv" in out and "FAIL" not in out


FREE = {Recurrent: Recurrent._fields, Transformer: Transformer._fields[2:-1]}
PAIRS = [
    (kind, a, b)
    for kind, names in FREE.items()
    for a in names
    for b in names
    if a < b and (a, b) != ("activation", "cell")
]


@pytest.mark.parametrize(("kind", "first", "second"), PAIRS)
def test_every_two_options_meet_in_every_way(kind, first, second):
    group = [c for c in configurations() if isinstance(c, kind)]
    seen = {(getattr(c, first), getattr(c, second)) for c in group}
    one, other = ({getattr(c, name) for c in group} for name in (first, second))
    assert len(seen) == len(one) * len(other)
    assert len(one) > 1 and len(other) > 1


def test_fixed_options_hold_everywhere():
    assert {c.cell for c in configurations(cell="gru", tied=True)} == {"gru"}
    assert all(c.tied for c in configurations(tied=True))
    assert {type(c) for c in configurations(tied=True)} == {Recurrent, Transformer}
    assert {type(c) for c in configurations(projection=True)} == {Recurrent}
