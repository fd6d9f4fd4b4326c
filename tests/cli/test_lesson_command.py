"""`tinytie lesson`: the list, a whole lesson, and what is said where there is none."""

import json
import os
import subprocess
import sys

import pytest

from tinytie.cli.main import main
from tinytie.course import player, shelf


def test_the_list_gives_title_question_and_times(capsys):
    assert main(["lesson", "--json"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    lessons = json.loads(last)["lessons"]
    assert [one["number"] for one in lessons][:4] == ["01", "02", "03", "04"]
    for one in lessons:
        assert f"{one['number']}  {one['title']}" in lines
        assert f"    {one['question']}" in lines
        assert any(one["reading"] in line for line in lines)


def test_an_unknown_lesson_is_one_sentence(capsys):
    assert main(["lesson", "99"]) == 2
    assert capsys.readouterr().err.startswith("tinytie lesson: there is no lesson '99'; there are")


def test_a_package_without_lessons_says_how_to_get_them(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(shelf.tinytie, "__file__", str(tmp_path / "tinytie" / "__init__.py"))
    assert main(["lesson"]) == 2
    assert "came without its lessons; install it anew" in capsys.readouterr().err


@pytest.fixture
def no_pictures(monkeypatch):
    """The figure is not saved: the lessons of this folder are played where they lie."""
    monkeypatch.syspath_prepend(str(shelf.lessons_folder()))
    monkeypatch.setattr("figures.save_figure", lambda figure, name: name)


def test_a_lesson_is_played_through_where_nobody_can_press_enter(no_pictures, capsys):
    assert main(["lesson", "2", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out.splitlines()[-1]) == {"lesson": "02", "finished": True}
    assert "34.0000" in out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("typed", "steps"), [(b"\n\nq\n", 2), (b"\n\n\x04", 2)])
def test_in_a_terminal_enter_goes_on_and_q_or_ctrl_d_ends_politely(typed, steps):
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tinytie", "lesson", "2"], stdin=theirs, stdout=theirs,
        stderr=theirs, env=os.environ | {"TERM": "xterm", "PYTHONUTF8": "1"},
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, typed)
    out = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other side has closed
            break
        if not piece:
            break
        out += piece
    os.close(ours)
    assert process.wait() == 0
    text = out.decode()
    assert text.count("Your prediction: ") == 1
    assert text.count("Enter: on") == steps
    assert "See you next time." in text
    assert "\033[36m" in text


def test_the_player_waits_only_in_a_terminal(monkeypatch):
    for stdin, stdout in ((True, True), (True, False), (False, True)):
        monkeypatch.setattr("sys.stdin", type("", (), {"isatty": lambda self, a=stdin: a})())
        monkeypatch.setattr("sys.stdout.isatty", lambda a=stdout: a, raising=False)
        assert player.waits() is (stdin and stdout)
