"""`tinytie COMMAND`: finds the command's file, and turns what goes wrong into one sentence.

A command is a module of this folder with `HELP`, `add_arguments(parser)` and `run(args)`, where
`run` returns the exit code: 0, or 1 where what was asked about is not so (a failed check).
"""

import argparse
import importlib
import os
import sys

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
]


def parser_of(modules):
    parser = argparse.ArgumentParser(
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
    modules = {name: importlib.import_module(f"tinytie.cli.{name}") for name in COMMANDS}
    args = parser_of(modules).parse_args(redirected(sys.argv[1:] if argv is None else argv))
    try:
        code = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output went away, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("tinytie: stopped", file=sys.stderr)
        return 130
    except (ValueError, OSError) as error:
        print(f"tinytie {args.command}: {error}", file=sys.stderr)
        return 2
    return code
