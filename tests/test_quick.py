"""`pytest -m quick` reaches every operation, cell, body, command and stub, whichever there are."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick
from tinytie.cli.main import COMMANDS
from tinytie.models.bodies import BODIES
from tinytie.ops.registry import operations

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def collected():
    command = [sys.executable, "-m", "pytest", "-m", "quick", "--collect-only", "-q", "tests"]
    options = {"cwd": ROOT, "capture_output": True, "encoding": "utf-8"}
    process = subprocess.run([*command, "-p", "no:cacheprovider"], **options)
    assert process.returncode == 0, process.stdout
    return process.stdout.splitlines()


def test_every_operation_and_with_them_every_cell(collected):
    gradient = "tests/ops/test_gradients.py::test_every_gradient_equals_the_finite_difference"
    assert {f"{gradient}[{operation.name}]" for operation in operations()} <= {*collected}


def test_every_body_tied_and_untied(collected):
    check = "tests/models/test_bodies.py::test_every_gradient_and_both_paths_pass_the_check"
    names = [name for kind in BODIES.values() for name in kind.examples()]
    wanted = {f"{check}[{name}-{tie}]" for name in names for tie in ("tied", "untied")}
    assert wanted <= {*collected}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command(collected, command):
    test = f"tests/{quick.COMMANDS[command]}"
    assert any(nodeid.startswith(test) for nodeid in collected)
    assert f'"{command}"' in (ROOT / test.split("::")[0]).read_text(encoding="utf-8")


def test_every_stub_and_all_else_that_is_named(collected):
    for name in quick.OTHERS:
        assert any(nodeid.startswith(f"tests/{name}") for nodeid in collected), name
