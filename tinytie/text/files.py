"""Reading a text file: any UTF-8 file, and one sentence for what is not one."""

import os
from pathlib import Path


def read_text(path: str | os.PathLike) -> str:
    """The file's text, without a byte order mark, each line ended by a single newline.

    Raises ValueError where there is no such file, where it is empty, or is not UTF-8 text; OSError
    where it cannot be read.
    """
    path = Path(path)
    if not path.exists():
        raise ValueError(f"there is no file {str(path)!r}")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; name one text file in it")
    if not path.is_file():  # some devices never end
        raise ValueError(f"{str(path)!r} is a device or a pipe; save its text in a file first")
    text = decoded(path.read_bytes(), path)
    if not text.strip():
        raise ValueError(f"{str(path)!r} is empty: there is no text to read")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decoded(data, path):
    """UTF-8 bytes as text; a wrong byte is named by its line and its place in the file."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{str(path)!r} is not UTF-8: {place(error.object, error.start)} holds "
            f"0x{error.object[error.start]:02x}; save the text as UTF-8"
        ) from None
    if "\0" in text:
        raise ValueError(
            f"{str(path)!r} is not a text: {place(data, data.index(0))} holds a NUL; "
            "a file in UTF-16 must be saved as UTF-8 first"
        )
    return text


def place(data, position):
    """Where a byte stands, counted from 1 as an editor does for lines, from 0 for bytes."""
    return f"byte {position} (line {data[:position].count(10) + 1})"
