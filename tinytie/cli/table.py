"""A table for the terminal: the first column to the left, numbers to the right."""

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell, two blanks between them, a rule under the header."""
    columns = zip(header, *rows, strict=True)
    widths = [max(map(len, column)) for column in columns]

    def line(cells):
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(w) for cell, w in others)])

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(header), rule, *map(line, rows)])
