"""Names of files and folders on the command line, and folders for what comes out."""

import argparse
from pathlib import Path

from tinytie.files.atomic import check_writable
from tinytie.printable import printable


def place(text):
    """The name of a file or a folder; what it holds is found out later."""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"must name a file or a folder, got {text!r}")
    return text


def folder_for_results(name: str | Path) -> Path:
    """The folder, made where there is none. Raises ValueError where it cannot hold results."""
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_writable(folder / "record.json")
    except OSError as error:
        raise refused(folder, error, "a folder") from None
    return folder


def file_for_results(name: str | Path) -> Path:
    """The file's path, its folder made. Raises ValueError where it could not be written."""
    path = Path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        check_writable(path)
    except OSError as error:
        raise refused(path, error, "a file") from None
    return path


def refused(path, error, wanted):
    """The sentence for a place that will not do."""
    reason = printable(error.strerror or str(error))
    return ValueError(f"cannot save in {str(path)!r} ({reason}); name {wanted} that can be written")
