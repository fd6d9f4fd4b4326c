"""`tinytie COMMAND`: finds the command's file, and turns what goes wrong into one sentence.

A command is a module with `HELP`, `add_arguments(parser)` and `run(args)`, which returns what was
found, for `--json`, and the exit code: 0, or 1 where the answer is no, as of a failed check.
"""

import argparse
import contextlib
import importlib
import io
import json
import os
import sys

from tinytie.printable import printable

COMMANDS = {  # name -> module, in the order of the help
    name.replace("_", "-"): f"tinytie.cli.{name}"
    for name in (
        "compare", "translate", "train", "evaluate", "sample", "check", "params", "reproduce",
        "similarity", "lesson", "exercise", "grade", "my_model", "handouts",
    )
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """Reports bad arguments with their control characters escaped."""

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
        command.set_defaults(run=module.run)
        module.add_arguments(command)
        command.add_argument("--json", action="store_true", help="end with one line of JSON")
    return parser


def main(argv=None):
    """Run one command; returns 0, 1 (the answer is no), 2 (bad input), or 130 (Ctrl-C)."""
    open_streams()
    name = "tinytie"
    try:
        modules = {name: importlib.import_module(module) for name, module in COMMANDS.items()}
        args = parser_of(modules).parse_args(argv)
        name = f"tinytie {args.command}"
        found, code = args.run(args)
        if args.json:
            print_json(found)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of our output went away, as in `| head`
        return 0
    except KeyboardInterrupt as stopped:
        complain(f"tinytie: {str(stopped) or 'stopped'}")
        return 130
    except (ValueError, TypeError, OverflowError, MemoryError, OSError) as error:
        complain(f"{name}: {told(error)}")
        return 2
    finally:
        settle(sys.stdout)


def print_json(found):
    """The last line. What is not finite, such as a perplexity that overflows, becomes null."""
    from tinytie.experiments.record import finite  # NumPy is loaded where Ctrl-C is caught

    print(json.dumps(finite(found), allow_nan=False))


def told(error):
    """The error's own sentence; a system error without its number."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror + (f": {error.filename!r}" if error.filename else "")
    return str(error) or "not enough memory"


def open_streams():
    """Replace a stream that the shell has closed, as `>&-` does, by an empty one.

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
