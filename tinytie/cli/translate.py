"""`tinytie translate`: `tinytie compare --task translate` under a name of its own."""

from tinytie.cli import compare

HELP = "train a translator with one, two and three token matrices, and show what tying does"
EXAMPLE = "tinytie translate --quick"
run = compare.run


def add_arguments(parser):
    compare.add_arguments(parser)
    parser.set_defaults(task="translate")
