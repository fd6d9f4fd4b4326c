"""Arguments that several commands share, and what is made of them."""

import argparse
import dataclasses
import math
from collections.abc import Iterable
from typing import Any

from tinytie.cli.files import figure_file, file_name, folder_name
from tinytie.models.bodies import BODIES, Kind
from tinytie.ops.cells import CELLS
from tinytie.training.optimizers import OPTIMIZERS

Table = dict[str, tuple[Any, str]]
MOST = 10**9  # of anything that is counted, so that a typing mistake does not fill the memory
FEW = 1000  # of what is built one by one: layers, seeds, processes


def positive(text):
    """A whole number of at least 1."""
    return bounded(int, text, f"a whole number from 1 to {MOST:,}", lambda n: 1 <= n <= MOST)


def few(text):
    """A whole number of at least 1, of things that take time or memory each."""
    return bounded(int, text, f"a whole number from 1 to {FEW:,}", lambda n: 1 <= n <= FEW)


def natural(text):
    """A whole number of at least 0."""
    return bounded(int, text, "a whole number of at least 0", lambda n: n >= 0)


def above_zero(text):
    """A finite number above 0."""
    return bounded(float, text, "a number above 0", lambda a: 0 < a < math.inf)


def share(text):
    """A number in [0, 1)."""
    return bounded(float, text, "a number from 0 up to, not including, 1", lambda a: 0 <= a < 1)


def bounded(kind, text, expected, fits):
    """The number that a text stands for; argparse reports what was expected instead."""
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not fits(value):
        raise argparse.ArgumentTypeError(f"must be {expected}, got {text!r}")
    return value


# An argument: its kind and its help; it is None where it is not given. These have the names of
# fields in the options of an experiment.
OPTIONS: Table = {
    "model": (BODIES, "the body of the language model"),
    "cell": (CELLS, "of a recurrent model"),
    "width": (positive, "width of the embedding"),
    "hidden": (positive, "hidden width, where it is not the embedding's"),
    "layers": (few, "layers of the model"),
    "heads": (positive, "heads of a Transformer's attention"),
    "window": (positive, "words that a feed-forward model looks back on"),
    "merges": (positive, "byte pairs to join into subwords, at most"),
    "dropout": (share, "share of entries dropped in training"),
    "batch_size": (positive, "rows of text, or sentences, in a batch, B"),
    "steps": (positive, "steps of text in a batch, T"),
    "epochs": (positive, "times through the text, at most"),
    "patience": (positive, "epochs without a new best before training stops"),
    "optimizer": (OPTIMIZERS, "how the parameters move along their gradient"),
    "rate": (above_zero, "learning rate"),
    "max_norm": (above_zero, "largest norm of the gradient"),
    "gamma": (above_zero, "weight of the augmented loss"),
    "tau": (above_zero, "temperature of the augmented loss"),
    "seed": (natural, "seed of everything that is drawn"),
}
SPELLED = {"max_norm": "--clip"}
METAVARS = {file_name: "FILE", figure_file: "FILE", folder_name: "DIR", str: "NAMES"}


def flag(name: str) -> str:
    """How an argument is spelled on the command line."""
    return SPELLED.get(name, f"--{name.replace('_', '-')}")


def declare(parser: Any, table: Table, defaults: Iterable[Any] = ()) -> None:
    """An argument for each entry; a kind is a type, a set of choices, or bool for a switch.

    The help tells the value in each of the `defaults`, options of several experiments.
    """
    for name, (kind, what) in table.items():
        values = [getattr(default, name, None) for default in defaults]
        told = ["-" if value is None else str(value) for value in values]
        if {*told} - {"-"}:
            what += f" ({told[0] if len({*told}) == 1 else ', '.join(told)})"
        if kind is bool:
            how = {"action": "store_true"}
        elif callable(kind):
            how = {"type": kind, "metavar": METAVARS.get(kind, "N")}
        else:
            how = {"choices": kind}
        parser.add_argument(flag(name), dest=name, help=what, **how)


def declare_options(parser: Any, defaults: list[Any], names: Iterable[str] = OPTIONS) -> None:
    """An argument for each of these options that one of the `defaults` has."""
    table = {
        name: OPTIONS[name]
        for name in OPTIONS
        if name in names and any(hasattr(default, name) for default in defaults)
    }
    declare(parser, table, defaults)


def given_options(args: argparse.Namespace) -> dict[str, Any]:
    """Those options that were given, by name."""
    values = {name: getattr(args, name, None) for name in OPTIONS}
    return {name: value for name, value in values.items() if value is not None}


def options_from(args: argparse.Namespace, default: Any, what: str) -> Any:
    """The default options of `what`, but for those that were given.

    Raises ValueError on an option that these have not, or that belongs to another body.
    """
    given = given_options(args)
    fields = {field.name for field in dataclasses.fields(default)}
    refuse([name for name in given if name not in fields], what)
    options = dataclasses.replace(default, **given)
    if "model" in fields:
        refuse_other_bodies(given, options)
    return options


def refuse_other_bodies(given: Iterable[str], options: Any) -> None:
    """Raises ValueError on an option that only other bodies have, as heads with a recurrent one."""
    read = {name: options_read(kind, options) for name, kind in BODIES.items()}
    others = set().union(*read.values()) - read[options.model] - {"steps"}  # all batches have steps
    refuse([name for name in given if name in others], f"--model {options.model}")


def options_read(kind: Kind, options: Any) -> set[str]:
    """The options that a kind of model is made from."""
    names = set()

    class Noted:
        def __getattr__(self, name):
            names.add(name)
            return getattr(options, name)

    kind.arguments(options.width, Noted())
    return names


def refuse(names: list[str], what: str) -> None:
    """Raises ValueError where there is such a name."""
    if names:
        raise ValueError(f"{what} has no {flag(names[0])}; leave it out")
