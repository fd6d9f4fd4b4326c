"""A table for the terminal: the first column to the left, numbers to the right."""

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell, two blanks between them, a rule under the header."""
    columns = zip(header, *rows, strict=True)
    widths = [max(map(len, column)) for column in columns]

    def line(cells):
        first, *others = zip(cells, widths, strict=True)
        padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(header), rule, *map(line, rows)])
