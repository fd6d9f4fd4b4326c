"""The package as a whole: what it exports, and which part may know which."""

import ast
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import tinytie

ROOT = Path(tinytie.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))
# imports flow one way: a part knows those of a smaller number, and its equals
LEVEL = {
    "errors": 0, "printable": 0, "ops": 1, "models": 2, "gradcheck": 3, "measure": 4, "text": 4,
    "files": 5, "interchange": 5, "training": 5, "experiments": 6, "names": 6, "plots": 7,
    "course": 7, "cli": 8,
}  # fmt: skip
CONTRACT = [
    "RNNLM", "LSTMState", "Dropout", "Masks", "check_gradients", "check_model", "count_parameters",
    "tie_weights", "untie_weights", "resize_vocabulary", "save", "load", "CheckpointError",
]  # fmt: skip


def python(*words):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", CONTRACT)
def test_a_name_of_the_contract_is_exported_and_explained(name):
    assert name in tinytie.__all__
    assert getattr(tinytie, name).__doc__


def test_all_that_is_exported_exists_once_and_in_order():
    assert all(hasattr(tinytie, name) for name in tinytie.__all__)
    assert len(set(tinytie.__all__)) == len(tinytie.__all__)


def test_importing_the_package_does_not_import_matplotlib():
    run = python("-c", "import sys, tinytie; sys.exit('matplotlib' in sys.modules)")
    assert run.returncode == 0, run.stderr


def test_importing_the_package_loads_no_numpy_so_that_the_program_can_be_stopped_at_once():
    run = python("-c", "import sys, tinytie.cli.main; sys.exit('numpy' in sys.modules)")
    assert run.returncode == 0, run.stderr
    run = python("-c", "import tinytie; tinytie.files.checkpoint; from tinytie import *; RNNLM")
    assert run.returncode == 0, run.stderr


def test_the_module_is_the_program():
    run = python("-m", "tinytie", "--help")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("usage: tinytie ")


def test_an_unknown_command_is_refused_without_a_traceback():
    run = python("-m", "tinytie", "no-such-command")
    assert run.returncode == 2
    assert "no-such-command" in run.stderr
    assert "Traceback" not in run.stderr


def test_types_are_shipped():
    assert files("tinytie").joinpath("py.typed").is_file()


def imported(path):
    """Modules named in the file's import statements, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def part(module):
    """tinytie.models.tying -> models"""
    words = module.split(".")
    return words[1] if words[0] == "tinytie" and len(words) > 1 else None


def test_imports_flow_one_way():
    for path in SOURCES:
        here = path.relative_to(ROOT).with_suffix("").parts[0]
        if here.startswith("__"):
            continue  # the package itself, which shows what all parts offer
        for there in filter(None, map(part, imported(path))):
            if there != "plots":  # a figure is imported where it is drawn
                assert LEVEL[there] <= LEVEL[here], f"{path} imports {there}"


def test_only_figures_import_matplotlib_and_nothing_imports_a_framework():
    for path in SOURCES:
        outside = {module.split(".")[0] for module in imported(path)} - sys.stdlib_module_names
        allowed = {"tinytie", "numpy"}
        if "plots" in path.relative_to(ROOT).parts:
            allowed.add("matplotlib")
        assert outside <= allowed, path
        assert not re.search(r"\bpyplot\b", path.read_text(encoding="utf-8")), path
