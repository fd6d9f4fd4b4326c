"""The pages of the studies say what their records hold; every figure and table has a command."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from tinytie.cli.main import COMMANDS
from tinytie.experiments.studies import STUDIES, dial
from tinytie.experiments.studies.cone import mean_cosine
from tinytie.experiments.studies.foretell import MEASURED, agreement
from tinytie.experiments.studies.texts import TEXTS
from tinytie.models.rnn_lm import RNNLM
from tinytie.training.optimizers import OPTIMIZERS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "lessons" / "STUDIES.md").read_text(encoding="utf-8")
LIST = (ROOT / "tests" / "records" / "README.md").read_text(encoding="utf-8")
LIST = LIST.split("## The command behind")[1]
SAID = " ".join(PAGE.split())

spec = importlib.util.spec_from_file_location("figures", ROOT / "tests/records/figures.py")
figures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(figures)
record_of = figures.record_of


@pytest.mark.parametrize("name", set(STUDIES) - {"foretell-longer"})
def test_the_table_of_a_study_is_the_recorded_one(name):
    assert figures.table_of(name) in PAGE
    assert f"`tinytie study {name}`" in PAGE and f".images/{name}.png" in PAGE


@pytest.mark.parametrize("name", STUDIES)
def test_every_figure_of_a_study_can_be_drawn(name, tmp_path):
    figures.FIGURES[name](record_of(name)).savefig(tmp_path / "figure.png")


def test_what_is_said_of_the_prediction():
    record, longer = record_of("foretell"), record_of("foretell-longer")
    low, high = record["interval"]
    assert f"is {record['spearman']:.2f} (95 %: {low:.2f} to {high:.2f})" in SAID
    assert f"{longer['spearman']:.2f} ({longer['interval'][0]:.2f} to" in SAID
    for found in (record, longer):
        assert found["interval"][1] < 0  # or there would be no `tinytie predict`
        recomputed = agreement(found["rows"])
        assert recomputed["spearman"] == pytest.approx(found["spearman"])
    assert len(record["rows"]) == len(TEXTS) >= 12
    for text, row in zip(MEASURED, record["rows"], strict=True):
        told = row["beyond_chance"], row["tied_minus_untied"]["mean"]
        assert text.name == row["text"] and text[1:] == pytest.approx(told, abs=6e-4)


def test_what_is_said_of_the_cone():
    rows = record_of("cone")["rows"]
    outer = {r["optimizer"]: [] for r in rows}
    for row in rows:
        name = "E" if row["tied"] else "E_out"
        outer[row["optimizer"]].append((row["cosine"][name]["mean"], row["centred"][name]["mean"]))
    assert all(cosine > 0.45 and centred < 0.01 for cosine, centred in outer["adam"])
    assert all(cosine < 0.05 for cosine, _ in outer["coupled-adam"])
    for tied in (True, False):
        best = [
            min((r for r in rows if (r["tied"], r["optimizer"]) == (tied, optimizer)),
                key=lambda r: r["valid"]["mean"])["test"]["mean"]
            for optimizer in ("adam", "coupled-adam")
        ]  # fmt: skip
        assert f"{best[0]:.1f} with Adam, {best[1]:.1f} coupled" in SAID


def test_what_is_said_of_the_dial_and_of_the_family():
    dialled, family = record_of("dial"), record_of("between")["rows"]
    assert [row["k"] for row in dialled["rows"]] == list(dial.FACTORS)
    assert min(dialled["rows"], key=lambda row: row["test"]["mean"])["k"] == 3
    assert f"{dialled['untied']['test']['mean']:.1f} ± " in SAID
    tests = {row["member"]: row["test"]["values"] for row in family}
    identity = tests.pop("identity")
    narrow = tests.pop("untied, E_in a quarter as wide")
    assert all(max(identity) < min(values) for values in tests.values())
    assert np.mean(identity) < np.mean(narrow) and min(narrow) < max(identity)
    shares = [row["passes"]["mean"] for row in family if row["passes"]]
    assert min(shares) >= 0.04 and max(shares) <= 0.081


def test_the_dial_at_one_is_the_true_gradient():
    x, y = np.random.default_rng(0).integers(9, size=(2, 3, 5))
    model = RNNLM(9, 4, rng=0)
    true = model.loss_and_grads(x, y)
    for factor in (1.0, 3.0):
        grads = dial.Dialled(model, factor).loss_and_grads(x, y, paths=False).grads
        lookup, scores = true.embedding_paths
        np.testing.assert_array_equal(grads["E"], factor * lookup + scores)
        np.testing.assert_array_equal(grads["W0"], true.grads["W0"])


def test_the_mean_cosine_by_hand():
    assert mean_cosine(np.array([[1.0, 0], [2, 0], [0, 3]])) == pytest.approx(1 / 3)


def test_coupled_rows_share_one_second_moment():
    w, g = np.zeros((2, 3)), np.array([[4.0, 0, 2], [0, 0, 2]])
    params = {"E": w.copy(), "W": w.copy()}
    OPTIMIZERS["coupled-adam"](0.1).step(params, {"E": g, "W": g}, {})
    v = np.mean(g * g, axis=0)
    np.testing.assert_allclose(params["E"], -0.1 * g / (np.sqrt(v) + 1e-8))
    np.testing.assert_allclose(params["W"], -0.1 * np.sign(g), rtol=1e-6)


def test_every_figure_and_record_is_listed_with_its_command():
    listed = set(re.findall(r"`(\.images/[\w-]+\.png)`", LIST))
    assert listed == {f".images/{path.name}" for path in (ROOT / ".images").glob("*.png")}
    records = set(re.findall(r"`([\w-]+\.json)`", LIST))
    assert records == {path.name for path in (ROOT / "tests" / "records").glob("*.json")}
    commands = re.findall(r"\| `([^`]+)`[^|]*\|\n", LIST)
    assert len(commands) == LIST.count("\n| ") - 2
    for command in commands:
        program, what = command.split()[:2]
        assert what in COMMANDS if program == "tinytie" else (ROOT / what).is_file(), command


def test_every_image_that_a_page_shows_is_there_and_every_image_is_shown():
    pages = [ROOT / "README.md", *ROOT.glob("lessons/*.md"), *ROOT.glob("tests/*/README.md")]
    shown = {
        (page.parent / link).resolve()
        for page in pages
        for link in re.findall(r"\]\(((?:\.\./)*\.images/[^)]+)\)", page.read_text("utf-8"))
    }
    assert shown == {path.resolve() for path in (ROOT / ".images").glob("*.png")}
