"""Names of files and folders on the command line, and where results are saved."""

import argparse
import warnings
from pathlib import Path

from tinytie.files.atomic import atomic_file, check_writable
from tinytie.printable import printable

FORMATS = ("png", "pdf", "svg")


def file_name(text):
    """The name of a file or a folder; what it holds is checked later."""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"must name a file or a folder, got {text!r}")
    return text


def folder_name(text):
    """The same, where only a folder will do."""
    return file_name(text)


def figure_file(text):
    """The name of a file in a format that a figure can have."""
    if Path(text).suffix.removeprefix(".").lower() not in FORMATS:
        names = ", ".join(f".{name}" for name in FORMATS)
        raise argparse.ArgumentTypeError(f"must be a file that ends in {names}, got {text!r}")
    return text


def folder_for_results(name: str | Path) -> Path:
    """The folder, made where there is none. Raises ValueError where it cannot hold results."""
    return writable(Path(name), Path(name) / "record.json", "a folder")


def file_for_results(name: str | Path) -> Path:
    """The file's path, its folder made. Raises ValueError where it could not be written."""
    return writable(Path(name), Path(name), "a file")


def writable(given, file, kind):
    """The path that was given, where that file could be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        check_writable(file)
    except OSError as error:
        reason = printable(error.strerror or str(error))
        raise ValueError(
            f"cannot save in {str(given)!r} ({reason}); name {kind} that can be written"
        ) from None
    return Path(given)


def save_figure(figure, name):
    """The figure, in the format that the name ends in. Raises OSError where it cannot write."""
    with atomic_file(name) as file, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # drawn as a box, which says enough
        figure.savefig(file, format=Path(name).suffix[1:].lower())
