"""`tinytie COMMAND`: finds the command's file, and turns what goes wrong into one sentence.

A command is a module of this folder with `HELP`, `add_arguments(parser)` and `run(args)`, where
`run` returns the exit code: 0, or 1 where what was asked about is not so (a failed check).
"""

import argparse
import contextlib
import importlib
import io
import os
import sys

from tinytie.printable import printable

COMMANDS: list[str] = [  # in the order of the help
    "compare",
    "translate",
    "train",
    "evaluate",
    "sample",
    "check",
    "params",
    "reproduce",
    "similarity",
    "lesson",
    "exercise",
    "grade",
]


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments without their control characters."""

    def error(self, message):
        super().error(printable(message))


def parser_of(modules):
    parser = Parser(
        prog="tinytie",
        description="Weight tying, and the gradients behind it, in plain NumPy.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in modules.items():
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def redirected(argv):
    """`compare --task translate …` is `translate …`, which has arguments of its own."""
    for form in (["--task", "translate"], ["--task=translate"]):
        for i in range(1, len(argv)):
            if argv[0] == "compare" and argv[i : i + len(form)] == form:
                return ["translate", *argv[1:i], *argv[i + len(form) :]]
    return argv


def main(argv=None):
    """Run one command; returns 0, 1 (the answer is no), 2 (bad input), or 130 (Ctrl-C)."""
    open_streams()
    name = "tinytie"
    try:
        modules = {name: importlib.import_module(f"tinytie.cli.{name}") for name in COMMANDS}
        args = parser_of(modules).parse_args(redirected(sys.argv[1:] if argv is None else argv))
        name = f"tinytie {args.command}"
        code = args.run(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of our output went away, as in `| head`
        return 0
    except KeyboardInterrupt:
        complain("tinytie: stopped")
        return 130
    except (ValueError, TypeError, OverflowError, MemoryError, OSError) as error:
        complain(f"{name}: {told(error)}")
        return 2
    finally:
        settle(sys.stdout)


def told(error):
    """The error's own sentence; one of the system without its number."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror + (f": {error.filename!r}" if error.filename else "")
    return str(error) or "not enough memory"


def open_streams():
    """A stream that the shell closed, as `>&-` does, is empty, or one that nobody reads.

    A character that the terminal's encoding does not have is shown as its escape.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def complain(sentence):
    """One sentence on the error stream, if there is room for it."""
    with contextlib.suppress(OSError):
        print(printable(sentence), file=sys.stderr, flush=True)


def settle(stream):
    """What cannot be written now is given up, or Python would try again at exit and complain."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
