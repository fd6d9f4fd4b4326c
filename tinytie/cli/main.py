"""`tinytie COMMAND`: finds the command's file, and turns what goes wrong into one sentence.

A command is a module with `HELP`, an `EXAMPLE`, `add_arguments(parser)` and `run(args)`, which
returns what was found, for `--json`, and the exit code: 0, or 1 where the answer is no, as of a
failed check.
"""

import argparse
import contextlib
import difflib
import importlib
import json
import os
import re
import sys

import tinytie
from tinytie.printable import escape_what_is_missing, printable

COMMANDS = {  # name -> module, in the order of the help
    name.replace("_", "-"): f"tinytie.cli.{name}"
    for name in (
        "compare", "translate", "train", "evaluate", "sample", "check", "params", "reproduce",
        "similarity", "vectors", "convert", "predict", "study", "lesson", "exercise", "my_model",
        "grade", "handouts",
    )
}  # fmt: skip


GREETING = """tinytie: weight tying, and the gradients behind it, in plain NumPy.

  tinytie lesson 1          one matrix, two jobs: the first of 20 lessons, here in the terminal
  tinytie compare --quick   train an untied and two tied models on real English: twenty seconds
  tinytie check             every gradient of the built-in models against finite differences

`tinytie -h` lists all commands, `tinytie COMMAND -h` explains one."""


class Parser(argparse.ArgumentParser):
    """Reports bad arguments with their control characters escaped, and names what is nearest."""

    def parse_known_args(self, args=None, namespace=None):
        """Python up to 3.12 drops the value of --option=--, and leaves an empty list for it."""
        for arg in sys.argv[1:] if args is None else args:
            if re.fullmatch(r"--?[^=\s]+=--", arg):
                self.error(f"argument {arg[:-3]}: needs a value, got '--'")
        return super().parse_known_args(args, namespace)

    def error(self, message):
        super().error(printable(message + self.nearest(message)))

    def nearest(self, message):
        """A name that was mistyped, as it may have been meant."""
        wrong = re.search(r"invalid choice: '(.*?)'|unrecognized arguments: (--[\w-]+)", message)
        if wrong is None:
            return ""
        known = [*COMMANDS, *re.findall(r"--[\w-]+|\w+", message + self.options())]
        typed = wrong[1] or wrong[2]
        near = difflib.get_close_matches(typed, set(known) - {typed}, n=1)
        return f"; did you mean {near[0]}?" if near else ""

    def options(self):
        """All that can be written after the command."""
        return self.command.format_usage() if self.command else ""

    command = None  # the parser of the command that is being read


def parser_of(modules):
    parser = Parser(
        prog="tinytie",
        description="Weight tying, and the gradients behind it, in plain NumPy.",
    )
    parser.add_argument("--version", action="version", version=f"tinytie {tinytie.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in modules.items():
        command = commands.add_parser(
            name, help=module.HELP, description=module.HELP, epilog=f"example: {module.EXAMPLE}"
        )
        command.set_defaults(run=module.run, parser=command)
        module.add_arguments(command)
        command.add_argument("--json", action="store_true", help="end with one line of JSON")
    return parser


def main(argv=None):
    """Run one command; returns 0, 1 (the answer is no), 2 (bad input), or 130 (Ctrl-C)."""
    open_streams()
    name = "tinytie"
    try:
        modules = {name: importlib.import_module(module) for name, module in COMMANDS.items()}
        argv = sys.argv[1:] if argv is None else argv
        if not argv:
            print(GREETING)
            return 0
        parser = parser_of(modules)
        args, unknown = parser.parse_known_args(argv)
        name = f"tinytie {args.command}"
        if unknown:
            parser.command = args.parser
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
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
    """Replace a stream that the shell has closed, as `>&-` does, by an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    escape_what_is_missing()


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
