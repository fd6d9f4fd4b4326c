"""The record of a run: what it was asked for, and what it ran on, so that it can be run again.

The same seed gives the same bytes only on the same machine, with the same versions, the same BLAS
and the same number of threads; so all of these are written down. Times of day are not, for then
two equal runs would leave different files.
"""

import ctypes
import importlib
import json
import math
import os
import platform
from collections.abc import Sequence
from typing import Any

import numpy as np

import tinytie
from tinytie.experiments.engine import Run
from tinytie.files.atomic import atomic_file
from tinytie.measure.parameters import count_parameters

LINKED = "numpy._core._multiarray_umath"  # the module of NumPy that is linked with the BLAS
CPU_INFO = "/proc/cpuinfo"
NARROW = ("Haswell", "Zen")  # OpenBLAS kernels that stop at AVX2
SPELLINGS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


def environment() -> dict[str, Any]:
    """Versions, platform, processor and BLAS of this process; None where it cannot be known."""
    return {
        "tinytie": tinytie.__version__,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "numpy": np.__version__,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "processor": processor(),
        "processors": os.cpu_count(),
        "blas": blas(),
        "hint": kernel_hint(),
    }


def run_record(options: dict[str, Any], seeds: list[int]) -> dict[str, Any]:
    """The options and seeds of a run beside its environment."""
    return {"options": options, "seeds": seeds, "environment": environment()}


def model_and_time(runs: Sequence[Run]) -> dict[str, Any]:
    """How large the model of these runs is, and their mean time: part of every arm's record."""
    count = count_parameters(runs[0].model)
    return {
        "parameters": count["total"],
        "embedding_parameters": count["embedding"],
        "cpu_seconds": float(np.mean([run.seconds for run in runs])),
    }


def finite(value: Any) -> Any:
    """The value, with None for each number in it that is not finite, as JSON has no infinity."""
    if isinstance(value, dict):
        return {name: finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_record(path: str | os.PathLike[str], record: dict[str, Any]) -> None:
    """Write a record as JSON, atomically. Raises ValueError or TypeError on what has no JSON."""
    text = json.dumps(record, indent=2, allow_nan=False)
    with atomic_file(path) as file:
        file.write(text.encode() + b"\n")


def processor():
    """The processor's name."""
    return cpu_info("model name") or platform.processor() or None


def cpu_info(field):
    """What the system says of the first processor; empty where it says nothing."""
    try:
        with open(CPU_INFO, encoding="utf-8", errors="replace") as lines:
            found = next((line for line in lines if line.startswith(field)), "")
    except OSError:
        found = ""
    return found.partition(":")[2].strip()


def blas():
    """What numpy was built with and, where that is OpenBLAS, what it does in this process."""
    built = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return {
        "name": built.get("name"),
        "version": built.get("version"),
        "config": ask_openblas("get_config", ctypes.c_char_p),
        "kernel": ask_openblas("get_corename", ctypes.c_char_p),
        "threads": ask_openblas("get_num_threads", ctypes.c_int),
    }


def kernel_hint():
    """How to use the processor's widest registers, where OpenBLAS does not; otherwise None."""
    kernel = ask_openblas("get_corename", ctypes.c_char_p)
    if kernel not in NARROW or "avx512f" not in cpu_info("flags").split():
        return None
    asked = " as the environment asks" if "OPENBLAS_CORETYPE" in os.environ else ""
    return (
        f"the processor has AVX-512, but OpenBLAS runs its {kernel} kernels{asked}; with "
        "OPENBLAS_CORETYPE=SkylakeX in the environment it runs those for AVX-512"
    )


def ask_openblas(question, answer):
    """What a function of the loaded OpenBLAS returns, or None where there is no such function."""
    try:  # a look-up in this library goes on in the libraries that it uses
        library = ctypes.CDLL(importlib.import_module(LINKED).__file__)
    except (ImportError, OSError):
        return None
    for spelling in SPELLINGS:
        function = getattr(library, spelling.format(question), None)
        if function is not None:
            function.restype, function.argtypes = answer, []
            found = function()
            return found.decode(errors="replace") if isinstance(found, bytes) else found
    return None
