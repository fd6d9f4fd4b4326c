"""`tinytie reproduce`: every row on a stand-in, the table, the files, and how it stops."""

import json
import os
import signal

import pytest

import tinytie
from tinytie.cli import progress
from tinytie.cli.main import main
from tinytie.text.treebank import FILES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three small files in the format of the Penn Treebank."""
    folder = tmp_path_factory.mktemp("stand-in")
    for name, lines in zip(FILES, (240, 120, 120), strict=True):
        text = "".join(f" the cat n{i % 7} saw <unk> n{i % 3} \n" for i in range(lines))
        (folder / name).write_text(text)
    return folder


TINY = ["--width", "4", "--epochs", "2"]


def started(recipe, folder, out, *more):
    return main(["reproduce", recipe, "--ptb", str(folder), "--out", str(out), *TINY, *more])


def test_all_rows_of_press_and_wolf_on_a_stand_in(folder, tmp_path, capsys):
    rows = "base,wt,pr,wt+pr,budget"
    assert started("press-wolf", folder, tmp_path, "--rows", rows, "--json") == 0
    *lines, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert [row["row"] for row in found["rows"]] == rows.split(",")
    assert found["rows"][3]["published"]["test"] == 100.9
    assert found["rows"][4]["published"] is None
    assert found["rows"][4]["parameters"] <= found["rows"][1]["parameters"]
    assert all(row["test"] > 1 for row in found["rows"])
    assert any("published for the Penn Treebank, not run here" in line for line in lines)
    (wt,) = [line for line in lines if line.startswith("wt ") and "|" in line]
    assert "2,651,600" in wt and "112.4" in wt and f"{found['rows'][1]['test']:.1f}" in wt
    assert found["figures"] == [str(tmp_path / "curves.png")]
    assert tinytie.load(tmp_path / "wt.safetensors").tied
    assert json.loads((tmp_path / "wt.json").read_text())["settings"]["width"] == 4


def test_rows_of_the_augmented_loss_alone_have_no_training_curve(folder, tmp_path):
    assert started("inan", folder, tmp_path, "--rows", "al,real") == 0
    record = json.loads((tmp_path / "real.json").read_text())
    assert record["train"] is None and record["valid"] > 1
    assert (tmp_path / "curves.png").exists()


def test_both_paths_are_recorded_and_drawn_where_asked(folder, tmp_path, capsys):
    assert started("press-wolf", folder, tmp_path, "--rows", "wt", "--paths", "2", "--json") == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["figures"][1] == str(tmp_path / "paths-wt.png")
    for path in found["figures"]:
        with open(path, "rb") as file:
            assert file.read(4) == b"\x89PNG"
    rows = json.loads((tmp_path / "wt.json").read_text())["paths"]
    steps = 2 * ((240 * 7 // 20 - 1) // 20)
    assert sorted({row["step"] for row in rows}) == list(range(0, steps, 2))


def test_all_rows_of_inan_on_a_stand_in(folder, tmp_path, capsys):
    assert started("inan", folder, tmp_path, "--json", "--gamma", "0.5") == 0
    *lines, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert [row["row"] for row in found["rows"]] == ["base", "al", "re", "real"]
    assert found["settings"]["gamma"] == 0.5
    assert [row["train"] is None for row in found["rows"]] == [False, True, False, True]
    assert any(line.startswith("real") and "82.7" in line for line in lines)


def test_the_subspace_experiment_ends_with_a_record_and_a_figure(folder, tmp_path, capsys):
    assert started("inan", folder, tmp_path, "--subspace", "--json") == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["scale"]["width"] == 4
    assert [spans["beta"] for spans in found["spans"]] == [0, 0.01, 0.1, 0.3, 1]
    assert all(0 <= spans["distance"] <= 1 for spans in found["spans"])
    assert (tmp_path / "subspace.png").exists() and (tmp_path / "subspace.json").exists()


def test_ctrl_c_says_how_to_go_on_and_the_same_command_does(folder, tmp_path, capsys, monkeypatch):
    def line_then_stop(step, *_):
        if step[:2] == (0, 2):
            os.kill(os.getpid(), signal.SIGINT)
        return ""

    monkeypatch.setattr(progress, "step_line", line_then_stop)
    assert started("press-wolf", folder, tmp_path, "--rows", "wt") == 130
    error = capsys.readouterr().err
    assert "wt.safetensors" in error and "--resume" in error and len(error.splitlines()) == 1
    monkeypatch.undo()
    assert started("press-wolf", folder, tmp_path, "--rows", "wt", "--resume") == 0
    assert capsys.readouterr().err.count("epoch") == 2
    assert started("press-wolf", folder, tmp_path, "--rows", "wt") == 0
    assert "epoch" not in capsys.readouterr().err  # the finished row was read, not trained


def test_any_three_files_will_do(folder, tmp_path, capsys):
    files = [str(folder / name) for name in FILES]
    command = ["reproduce", "press-wolf", "--files", *files, "--out", str(tmp_path), *TINY]
    assert main([*command, "--rows", "wt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["text"]["tokens"][1] == 120 * 7
