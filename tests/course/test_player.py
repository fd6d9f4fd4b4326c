"""The player runs the same file, step after step, and goes where it is asked to."""

import pytest

from tinytie.course import paper, player
from tinytie.course.cells import read_cells
from tinytie.course.shelf import Lesson

TEXT = """# %% [markdown]
# # 01 A **title**

# %%
a = 20
print("first", a + 1)

# %% [markdown]
# You see it.

# %% tags=["answer"]
print("second", a + 2)

# %%
print("pictures/01_a.png")
"""


def lesson_of(text, tmp_path):
    path = tmp_path / "01_a.py"
    path.write_text(text, encoding="utf-8")
    return Lesson("01", "A title", path, {}, read_cells(text))


@pytest.fixture
def played(tmp_path, capsys):
    """What is printed and asked where somebody types this, and whether it came to its end."""

    def play(*lines, text=TEXT, first=1):
        asked, left = [], list(lines)

        def ask(prompt):
            asked.append(prompt)
            return left.pop(0) if left else None

        done = player.play(lesson_of(text, tmp_path), ask, first)
        return capsys.readouterr().out, asked, done

    return play


def test_each_cell_is_shown_before_what_it_prints(tmp_path, capsys):
    assert player.play(lesson_of(TEXT, tmp_path))
    out = capsys.readouterr().out
    parts = ["01 A title", "│ a = 20", "first 21", "You see it.", '│ print("second"', "second 22"]
    places = [out.index(part) for part in parts]
    assert places == sorted(places)
    assert "\033" not in out  # no colors where there is no terminal


def test_a_prediction_is_asked_for_first_and_shown_beside_the_answer(played):
    out, asked, done = played("three rows", "", "no, all", "", "", "")
    assert done
    assert asked[0] == "Your prediction: "
    assert "Here comes the answer" in asked[2]
    assert out.index("second 22") < out.index("You predicted: no, all")
    assert "three rows" not in out.split("You predicted: ")[1]


def test_who_predicts_nothing_is_not_asked_again(played):
    _, asked, done = played("", "", "", "", "")
    assert done
    assert not any("answer" in prompt for prompt in asked)


def test_going_back_shows_a_step_again_and_does_not_run_it_twice(played):
    out, _, done = played(
        "", "", "b", "", "", "", "", text=TEXT.replace("a = 20", "a = id(object)")
    )
    assert done
    assert out.count("│ a = ") == 2
    assert len({line for line in out.splitlines() if line.startswith("first ")}) == 1


def test_jumping_runs_what_lies_between_unseen(played):
    out, _, done = played("", first=2)
    assert not done
    assert "first 21" not in out
    assert "second 22" in out
    out, _, _ = played("", "3")
    assert "second" not in out
    assert "pictures/01_a.png" in out


def test_the_figure_is_opened_once_it_is_there(played, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    (tmp_path / "pictures").mkdir()
    picture = tmp_path / "pictures" / "01_a.png"
    picture.touch()
    out, _, _ = played("", "f", "3", "f", "q")
    assert "not drawn yet" in out
    assert opened == [picture.as_uri()]


@pytest.mark.parametrize("typed", ["99", "0", "x"])
def test_what_is_no_command_is_said_and_asked_again(played, typed):
    out, asked, done = played("", typed, "q")
    assert f"There is no {typed!r}" in out
    assert not done
    assert len(asked) == 3


@pytest.mark.parametrize("typed", [["", "q"], ["", " Quit"], [""], ["q"]])
def test_q_or_the_end_of_the_input_says_goodbye_and_runs_no_more(played, typed):
    out, _, done = played(*typed)
    assert not done
    assert "second" not in out
    assert out.endswith("See you next time.\n")


def test_an_error_is_shown_with_the_line_of_the_file_and_ends_the_lesson(tmp_path, capsys):
    broken = TEXT.replace("a = 20", "a = 1 / 0")
    assert not player.play(lesson_of(broken, tmp_path))
    out = capsys.readouterr().out
    assert "01_a.py" in out
    assert "line 5" in out
    assert "ZeroDivisionError" in out
    assert "player.py" not in out


def test_a_full_screen_waits(played):
    long = TEXT.replace("# # 01 A **title**", "\n#\n".join(f"# line {i}" for i in range(40)))
    _, asked, _ = played("", "", "", "", "", "", "", text=long)
    assert asked[:3] == ["Enter for more "] * 3


def test_the_end_of_the_input_is_none(monkeypatch, capsys):
    def end(_):
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    assert player.typed("") is None
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
    assert paper.styled_code("a = 1").startswith("\033[36m") is colored
    assert ("\033[1m" in paper.styled_prose("# A")) is colored


def test_prose_is_filled_to_eighty_columns_and_formulas_are_left_alone():
    text = "# A title\n\nsome words that\n" + "go on " * 30 + "\n\n    a = b\n\n- one\n| c | d |"
    lines = paper.styled_prose(text).splitlines()
    assert max(map(len, lines)) < 80
    assert lines[0] == "A title"
    assert "    a = b" in lines
    assert "c · d" in lines


def test_a_remark_that_does_not_fit_stands_above_its_line():
    line = "x = " + "+".join("12345" for _ in range(11)) + "  # (V, D): what it is"
    above, below = paper.styled_code(line).splitlines()
    assert above == "│ # (V, D): what it is"
    assert below == "│ " + line.partition("  #")[0]
