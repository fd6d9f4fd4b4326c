"""Saving figures: a name that says its format, and never half a file."""

import argparse
import warnings
from pathlib import Path

from tinytie.files.atomic import atomic_file

FORMATS = ("png", "pdf", "svg")


def figure_file(text):
    """The name of a file in a format that a figure can have."""
    if Path(text).suffix.removeprefix(".").lower() not in FORMATS:
        names = ", ".join(f".{name}" for name in FORMATS)
        raise argparse.ArgumentTypeError(f"must be a file that ends in {names}, got {text!r}")
    return text


def save_figure(figure, path, dpi=100):
    """The figure, in the format that the name ends in. Raises OSError where it cannot write."""
    with atomic_file(path) as file, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # drawn as a box, which says enough
        figure.savefig(file, format=Path(path).suffix[1:].lower(), dpi=dpi)
