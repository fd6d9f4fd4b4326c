"""`tinytie check`."""

import json
from itertools import combinations

import numpy as np
import pytest

from tests.ops.test_gradients import minimal_gated_unit
from tests.planted import MODEL_BUGS, planted
from tinytie.cli.main import main
from tinytie.gradcheck.configurations import PADDING, SWITCHES, configurations, telling_batch
from tinytie.models.bodies import BODIES
from tinytie.ops.cells import CELLS

ONE = ["--cell", "rnn", "--layers", "1", "--no-projection", "--tied", "--no-dropout"]


def test_a_selection_is_checked_with_one_line_for_each_parameter(capsys):
    assert main(["check", *ONE]) == 0
    out = capsys.readouterr().out
    assert "rnn, tied" in out and "FAIL" not in out
    assert "PASS      E " in out and "worst relative error" in out and " at E[" in out


def test_a_planted_bug_exits_with_1_and_names_the_cause(capsys):
    with planted(MODEL_BUGS[0]):
        assert main(["check", *ONE]) == 1
    assert "cause: input path missing" in capsys.readouterr().out


def test_json_is_the_last_line(capsys):
    options = ["--cell", "lstm", "--layers", "1", "--untied", "--no-padding", "--json"]
    assert main(["check", *options, "--seed", "3"]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["verdict"] == "PASS" and said["seed"] == 3
    assert {case["cell"] for case in said["configurations"]} == {"lstm"}
    assert {row["verdict"] for row in said["configurations"][0]["rows"]} == {"PASS"}


def test_the_figures_are_saved(tmp_path, capsys):
    assert main(["check", *ONE, "--plot", str(tmp_path / "new")]) == 0
    for name in ("error-against-step.png", "residual-of-E.png"):
        assert (tmp_path / "new" / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", BODIES)
def test_every_body_is_checked_tied_and_untied(kind, capsys):
    assert main(["check", "--model", kind, "--json"]) == 0
    cases = json.loads(capsys.readouterr().out.splitlines()[-1])["configurations"]
    for title in BODIES[kind].examples():
        assert {c["tied"] for c in cases if c["title"].startswith(f"{title}, ")} == {True, False}
    assert {c["verdict"] for c in cases} == {"PASS"}


@pytest.mark.parametrize(("z_factor", "code"), [(1, 0), (0, 1)])
def test_a_cell_that_is_registered_is_checked(z_factor, code, capsys, monkeypatch):
    monkeypatch.setitem(CELLS, "mgu", minimal_gated_unit(z_factor))
    assert main(["check", "--cell", "mgu"]) == code
    out = capsys.readouterr().out
    assert "mgu, tied" in out and "mgu, 2 layers, untied" in out
    assert ("FAIL      U0 " in out) == bool(code)


def test_every_two_switches_meet_in_every_way_tied_and_untied():
    found = [c.switches | {"tied": c.tied} for c in configurations()]
    for one, two in combinations([*SWITCHES, "tied"], 2):
        assert len({(c[one], c[two]) for c in found if one in c and two in c}) == 4, (one, two)


FIXED = [
    {"cell": "gru", "tied": True}, {"projection": True}, {"padding": True, "dropout": False},
    {"n_layers": 2},
]  # fmt: skip


@pytest.mark.parametrize("fixed", FIXED)
def test_fixed_options_hold_everywhere(fixed):
    for c in configurations(**fixed):
        model = c.build(np.random.default_rng(0))
        for name, value in fixed.items():
            has = {"padding": model.padding_id is not None, "dropout": c.switches.get("dropout"),
                   "projection": "P" in model.params}  # fmt: skip
            assert has.get(name, getattr(model, name, None)) == value
        assert all(array.all() for array in model.params.values())


def test_the_batch_repeats_a_token_and_begins_in_a_state_that_is_not_zero():
    rng = np.random.default_rng(0)
    lstm = configurations(cell="lstm")[0].build(rng)
    x, y, state = telling_batch(lstm, rng)
    assert x[0, 0] == x[1, 0] == x[0, -1] and (y != PADDING).any()
    assert [type(part) for part in state] == [type(part) for part in lstm.initial_state(len(x))]
    assert all(array.all() for part in state for array in part)
    transformer = configurations(model="transformer")[0].build(rng)
    assert telling_batch(transformer, rng)[2] is None
