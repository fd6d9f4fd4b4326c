"""The run record: complete, the same twice, and true of this process."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import tinytie
from tinytie.experiments import record
from tinytie.experiments.record import environment, run_record, write_record


def test_the_environment_says_versions_platform_and_blas():
    found = environment()
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["numpy"] == np.__version__ and found["tinytie"] == tinytie.__version__
    assert found["processors"] == os.cpu_count()
    assert found["platform"] and found["machine"]
    assert found["blas"].keys() == {"name", "version", "config", "kernel", "threads"}
    assert found["blas"]["name"]


def test_the_environment_is_the_same_twice_and_is_json():
    assert json.loads(json.dumps(environment())) == environment()


@pytest.mark.skipif(environment()["blas"]["threads"] is None, reason="needs OpenBLAS")
def test_the_threads_are_those_of_this_process():
    code = "from tinytie.experiments.record import environment; print(environment()['blas'])"
    said = [
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"OPENBLAS_NUM_THREADS": threads},
            capture_output=True, text=True, check=True,
        ).stdout
        for threads in ("1", "2")
    ]  # fmt: skip
    assert "'threads': 1" in said[0]
    assert os.cpu_count() == 1 or "'threads': 2" in said[1]


def test_what_cannot_be_known_is_none(monkeypatch):
    monkeypatch.setattr(record, "SPELLINGS", ("another_{}",))
    monkeypatch.setattr(record, "CPU_INFO", "/nowhere")
    monkeypatch.setattr(record.platform, "processor", lambda: "")
    found = environment()
    assert found["processor"] is None
    assert [found["blas"][key] for key in ("config", "kernel", "threads")] == [None] * 3


@pytest.mark.parametrize(
    ("kernel", "flags", "hint"),
    [
        ("Haswell", "fpu avx2 avx512f", True),
        ("Zen", "avx512f", True),
        ("Haswell", "fpu avx2", False),
        ("SkylakeX", "fpu avx2 avx512f", False),
        (None, "avx512f", False),
    ],
)
def test_a_wider_kernel_is_named_only_where_there_is_one(
    kernel, flags, hint, monkeypatch, tmp_path
):
    info = tmp_path / "cpuinfo"
    info.write_text(f"model name : Some\nflags : {flags}\n")
    monkeypatch.setattr(record, "CPU_INFO", str(info))
    monkeypatch.setattr(record, "ask_openblas", lambda question, answer: kernel)
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    said = record.kernel_hint()
    assert ("OPENBLAS_CORETYPE" in said) if hint else said is None
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert record.kernel_hint() == (
        said.replace("kernels;", "kernels as the environment asks;") if hint else None
    )


def test_a_record_is_written_whole_and_the_same_twice(tmp_path):
    for name in "ab":
        write_record(tmp_path / name, run_record({"rate": 0.1, "cell": "gru"}, [0, 1]))
    text = (tmp_path / "a").read_text()
    assert json.loads(text)["options"] == {"rate": 0.1, "cell": "gru"}
    assert json.loads(text)["seeds"] == [0, 1]
    assert text == (tmp_path / "b").read_text() and sorted(os.listdir(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}])
def test_a_record_without_json_leaves_the_old_one(tmp_path, value):
    path = tmp_path / "record.json"
    write_record(path, {"loss": 1.0})
    with pytest.raises((ValueError, TypeError)):
        write_record(path, {"loss": value})
    assert json.loads(path.read_text()) == {"loss": 1.0}
    assert os.listdir(tmp_path) == ["record.json"]
