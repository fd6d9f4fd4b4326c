"""How a lesson looks in a terminal: prose filled to its width, code behind a bar, in colors."""

import os
import re
import shutil
import sys
import textwrap

BOLD, CODE_COLOR, DIM, PLAIN = "\033[1m", "\033[36m", "\033[2m", "\033[0m"
WIDTH = 80
AS_IT_IS = re.compile(r"^(    |\||#|- |\d+\. )|^$")  # formulas, tables, headings, lists


def height() -> int:
    """Lines that a screen has room for."""
    return shutil.get_terminal_size((WIDTH, 24)).lines


def color(code: str, text: str) -> str:
    """The text in a color, where standard output is a terminal that has them."""
    able = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return f"{code}{text}{PLAIN}" if able and not os.environ.get("NO_COLOR") else text


def styled_prose(text: str) -> str:
    """Paragraphs filled to 80 columns, headings in bold without #, emphasis without stars."""
    text = re.sub(r"\*\*([^*]+)\*\*", r"\1", text)
    text = re.sub(r"(?<![\w*])\*(?=\S)([^*]+)(?<=\S)\*(?![\w*])", r"\1", text)
    return "\n".join(filled(text))


def filled(text):
    """The lines of a text, its paragraphs filled."""
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        if not AS_IT_IS.match(line):
            paragraph.append(line)
            continue
        yield from textwrap.wrap(" ".join(paragraph), WIDTH - 1)
        paragraph = []
        if line.startswith("#"):
            yield color(BOLD, line.lstrip("#").strip())
        elif line.startswith("|"):
            yield from table_row(line)
        elif line.startswith(("- ", *"0123456789")):
            paragraph = []
            yield from textwrap.wrap(line, WIDTH - 1, subsequent_indent="  ")
        else:
            yield line


def table_row(line):
    """A row of a table as one line, if need be folded; nothing for the line below the head."""
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if not set("".join(cells)) <= set("-: "):
        yield from textwrap.wrap(" · ".join(filter(None, cells)), WIDTH - 1, subsequent_indent="  ")


def styled_code(text: str) -> str:
    """Each line behind a bar; a remark that would not fit beside its line stands above it."""
    lines = [part for line in text.splitlines() for part in fitting(line)]
    return "\n".join(color(CODE_COLOR, f"│ {line}".rstrip()) for line in lines)


def fitting(line):
    """One line of code as lines of at most 77 columns."""
    code, mark, remark = line.partition("  # ")
    indent = line[: len(line) - len(line.lstrip())]
    if mark and len(line) > WIDTH - 3:
        yield from textwrap.wrap(f"{indent}# {remark}", WIDTH - 3, subsequent_indent=f"{indent}# ")
        line = code
    while len(line) > WIDTH - 3:
        cut = line.rfind(" ", len(indent) + 8, WIDTH - 3)
        cut = cut if cut > 0 else WIDTH - 3
        yield line[:cut]
        line = f"{indent}        {line[cut:].lstrip()}"
    yield line
