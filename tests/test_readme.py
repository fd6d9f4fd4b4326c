"""What the README says: its commands exist, its code runs, its links lead somewhere, its numbers
are those of the runs that are kept beside this file."""

import inspect
import json
import math
import re
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tinytie.cli.main import COMMANDS
from tinytie.course.shelf import all_lessons
from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.measure.similarity import interval
from tinytie.models.language_model import LanguageModel

ROOT = Path(__file__).parents[1]
BODIES, TIMES = "tests/records/README.md", "tests/benchmarks/README.md"
README = (ROOT / "README.md").read_text(encoding="utf-8")
RECORDS = Path(__file__).parent / "records"
GUIDES = [
    ROOT / name / "README.md" for name in ("", "lessons", "tests/records", "tests/benchmarks")
] + [ROOT / "lessons" / "FRAMEWORKS.md"]


def test_the_two_commands_are_on_the_first_screen():
    top = README.splitlines()[:30]
    assert (
        sum(line.startswith("python3 -m venv .venv && .venv/bin/pip install") for line in top) == 2
    )


def test_every_command_named_exists_and_every_command_is_named():
    named = set(re.findall(r"tinytie ([a-z-]+)", README)) | set(re.findall(r"`([a-z-]+)`", README))
    assert set(COMMANDS) - {"translate"} <= named
    assert set(re.findall(r"`tinytie ([a-z-]+)", README)) <= set(COMMANDS)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.parent.name)
def test_every_link_into_the_repository_leads_to_a_file(guide):
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", guide.read_text(encoding="utf-8"))
    for link in links:
        assert (guide.parent / link).exists(), link


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S))
def test_the_code_runs_as_it_stands(code, tmp_path):
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_the_page_that_is_shown_is_the_method_that_runs():
    *_, lines = inspect.getsource(LanguageModel.loss_and_grads).split('"""\n')
    assert textwrap.dedent(lines) in README
    code = [line for line in lines.splitlines() if line.strip() and line.strip()[0] != "#"]
    assert len(code) <= 18
    assert sum("dE_in + dE_out" in line for line in code) == 1


def test_the_number_of_lessons_is_told():
    assert f"{len(all_lessons())} lessons" in README


def rows(heading, page="README.md"):
    """The table below a heading, as lists of cells without the two lines of its head."""
    section = (
        (ROOT / page).read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    )
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def tables(heading):
    """The tables below a heading, each a list of rows of cells, without its head."""
    section = README.split(f"## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"(?:^\|.*\n)+", section, re.M)
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()[2:]]
        for block in blocks
    ]


def test_every_table_of_the_results_is_compared_below():
    assert len(tables("Results")) == 3


def record_of(name):
    return json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))


def spread(perplexity):
    return f"{perplexity['mean']:.1f} ± {perplexity['deviation']:.1f}"


def test_the_penn_treebank_is_the_recorded_one():
    record = record_of("penn_treebank")["rows"]
    for cells, (name, row) in zip(tables("Results")[0], record.items(), strict=True):
        ours = [f"{row[part]:.1f}" for part in ("train", "valid")] + [f"**{row['test']:.1f}**"]
        said = PRESS_WOLF.rows[name].published
        others = " / ".join(f"{test:.1f}" for test in said.reproduced)
        theirs = [f"{said.test:.1f}", f"{row['pytorch']['test']:.1f}", others]
        assert cells[1:] == [f"{row['parameters']:,}", *ours, *theirs]
        assert row["parameters"] == said.parameters and abs(row["test"] - said.test) < 2.4


def test_what_the_readme_says_of_the_penn_treebank():
    base, wt, pr, both = (row["test"] for row in record_of("penn_treebank")["rows"].values())
    assert base > wt > pr > both
    assert (
        f"perplexity by {base - wt:.1f}; with the projection regularized, by {pr - both:.1f}"
        in (" ".join(README.split()))
    )
    found = record_of("penn_treebank")["similarity"]
    ahead = lambda row: [E["E_out"][name] > E["E_in"][name] for E in [row] for name in E["E_in"]]
    assert [sum(ahead(found["spearman"][row])) for row in ("base", "pr")] == [5, 3]


def test_how_sure_the_word_similarities_are():
    found = record_of("penn_treebank")["similarity"]
    reach = {}
    for name, covered in found["covered"].items():
        rho = found["spearman"]["base"]["E_out"][name]
        reach[name] = f"{max(abs(end - rho) for end in interval(rho, covered)):.2f}"
    assert f"reaches from {min(reach.values())} (MEN) to {max(reach.values())} (Verb-143)" in README
    assert (reach["MEN"], reach["Verb-143"]) == (min(reach.values()), max(reach.values()))


def test_the_word_similarities_are_the_recorded_ones():
    found = record_of("penn_treebank")["similarity"]
    matrices = [matrix for row in found["spearman"].values() for matrix in row.values()]
    assert len(matrices) == 6
    for cells, (name, covered) in zip(tables("Results")[1], found["covered"].items(), strict=True):
        assert cells == [f"{name} ({covered:,})", *(f"{matrix[name]:.2f}" for matrix in matrices)]


def test_the_comparison_is_the_recorded_one():
    for cells, arm in zip(tables("Results")[2], record_of("compare")["arms"], strict=True):
        sizes = [str(arm["width"]), f"{arm['parameters']:,}", f"{arm['embedding_parameters']:,}"]
        perplexities = [spread(arm[f"{part}_perplexity"]) for part in ("train", "valid", "test")]
        assert cells == [arm["arm"], *sizes, *perplexities]


def test_the_other_bodies_are_the_recorded_ones():
    records = [record_of("compare"), *record_of("bodies").values()]
    said = rows("Other bodies", BODIES)
    for cells, record in zip(said, records, strict=True):
        assert cells[1:] == [
            f"{spread(arm['test_perplexity'])} ({arm['width']}; {arm['parameters']:,})"
            for arm in record["arms"]
        ]


def test_the_other_bodies_in_one_sentence_are_the_recorded_ones():
    told = re.search(r"GRU ([\d.]+) and ([\d.]+), LSTM ([\d.]+) and\n([\d.]+), Transformer "
                     r"([\d.]+) and ([\d.]+)", README)  # fmt: skip
    assert told is not None
    arms = [record["arms"][i] for record in record_of("bodies").values() for i in (0, 2)]
    means = [f"{arm['test_perplexity']['mean']:.1f}" for arm in arms]
    assert list(told.groups()) == means


def test_the_rows_of_the_recipe_are_the_recorded_ones():
    said = rows("The recipe of Press and Wolf on a small text", BODIES)
    for cells, row in zip(said, record_of("press_wolf").values(), strict=True):
        perplexities = [f"{row[part]:.1f}" for part in ("train", "valid", "test")]
        assert cells[1:] == [f"{row['parameters']:,}", *perplexities]


def test_the_times_are_the_recorded_ones():
    shapes = record_of("speed")["shapes"]
    for cells in rows("Speed", TIMES):
        measured = [f"{one['ms']:.3g} ({one['ratio']:.2f})" for one in shapes[cells[0]].values()]
        assert [cell for cell in cells[5:] if cell] == measured


def exponent(points):
    """The slope of log time against log size over the three largest sizes."""
    sizes, times = ([math.log(point[key]) for point in points[-3:]] for key in ("size", "ms"))
    return statistics.linear_regression(sizes, times).slope


def test_the_growth_is_the_recorded_one():
    sizes = record_of("growth")["sizes"]
    for cells, (name, points) in zip(rows("Growth", TIMES), sizes.items(), strict=True):
        ends = lambda key, form, both=(points[0], points[-1]): " → ".join(
            f"{point[key]:{form}}" for point in both
        )
        time = [ends("us_a_token", ".1f"), f"{exponent(points):.2f}"]
        memory = [ends("peak_MB", ".1f"), ends("scores_MB", ".1f")]
        assert cells == [name, ends("size", ","), *time, *memory]
