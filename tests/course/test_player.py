"""The player runs the same file, cell after cell, and stops where it is asked to."""

import pytest

from tinytie.course import player
from tinytie.course.cells import read_cells
from tinytie.course.shelf import Lesson

TEXT = """# %% [markdown]
# # 01 A **title**

# %%
a = 20
print("first", a + 1)

# %% [markdown]
# You see it.

# %%
print("second", a + 2)
"""


def lesson_of(text, tmp_path):
    path = tmp_path / "01_a.py"
    path.write_text(text, encoding="utf-8")
    return Lesson("01", "A title", path, {}, read_cells(text))


def test_each_cell_is_shown_before_what_it_prints(tmp_path, capsys):
    assert player.play(lesson_of(TEXT, tmp_path), player.go_on)
    out = capsys.readouterr().out
    parts = ["01 A title", "│ a = 20", "first 21", "You see it.", '│ print("second"', "second 22"]
    places = [out.index(part) for part in parts]
    assert places == sorted(places)
    assert "\033" not in out  # no colors where there is no terminal


def test_there_is_a_pause_after_each_piece_of_code_but_the_last(tmp_path):
    asked = []
    player.play(lesson_of(TEXT, tmp_path), lambda: asked.append(1) or True)
    assert len(asked) == 1


def test_stopping_says_goodbye_and_runs_no_more(tmp_path, capsys):
    assert not player.play(lesson_of(TEXT, tmp_path), lambda: False)
    out = capsys.readouterr().out
    assert "second" not in out
    assert out.endswith("See you next time.\n")


def test_an_error_is_shown_with_the_line_of_the_file_and_ends_the_lesson(tmp_path, capsys):
    broken = TEXT.replace("a = 20", "a = 1 / 0")
    assert not player.play(lesson_of(broken, tmp_path), player.go_on)
    out = capsys.readouterr().out
    assert "01_a.py" in out
    assert "line 5" in out
    assert "ZeroDivisionError" in out
    assert "player.py" not in out


@pytest.mark.parametrize(("typed", "goes_on"), [("", True), ("q", False), (" Quit", False)])
def test_enter_goes_on_and_q_stops(monkeypatch, typed, goes_on):
    monkeypatch.setattr("builtins.input", lambda _: typed)
    assert player.wait_for_enter() is goes_on


def test_the_end_of_the_input_stops(monkeypatch, capsys):
    def end(_):
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    assert not player.wait_for_enter()
    assert capsys.readouterr().out == "\n"


@pytest.mark.parametrize(
    ("terminal", "settings", "colored"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
    ],
)
def test_colors_only_where_the_terminal_can(monkeypatch, terminal, settings, colored):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    assert player.styled_code("a = 1").startswith("\033[36m") is colored
    assert ("\033[1m" in player.styled_prose("# A")) is colored
