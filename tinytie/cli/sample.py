"""`tinytie sample`: text drawn from a saved model."""

import argparse
import re
from itertools import islice

import numpy as np

from tinytie.cli.files import file_name
from tinytie.cli.loading import MODEL, load_for_text
from tinytie.cli.options import OPTIONS, above_zero, declare, positive
from tinytie.printable import printable
from tinytie.text.sampling import drawn
from tinytie.text.tokenizers import UNK

HELP = "draw text from a saved model"
EXAMPLE = "tinytie sample model.safetensors --start 'the value' --words 40"
LENGTH = 60  # tokens
LONGEST = 50  # tokens in a word, where a model never ends one
WORDS = re.compile(r"\w+(?:['’]\w+)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=file_name, metavar="MODEL", help=MODEL)
    parser.add_argument("--start", default="", metavar="TEXT", help="the text to go on from")
    declare(parser, {
        "length": (positive, f"tokens ({LENGTH})"),
        "words": (positive, "words instead, whatever a token is"),
        "unknown": (bool, f"draw {UNK} too"),
        "temperature": (above_zero, "below 1 the likely become likelier, above 1 all become more "
                        "even (1)"),
        "top_k": (positive, "draw only among the K likeliest (all)"),
        "seed": OPTIONS["seed"],
    })  # fmt: skip


def run(args: argparse.Namespace) -> tuple[dict, int]:
    if args.length and args.words:
        raise ValueError("give --length, in tokens, or --words, not both")
    model, reader = load_for_text(args.model)
    never = () if args.unknown or reader.unknown < 0 else (reader.unknown,)
    endless = drawn(
        model, np.append(reader.start, reader.begin(args.start)),
        temperature=args.temperature or 1.0, top_k=args.top_k, without=never, rng=args.seed or 0,
    )  # fmt: skip
    ids = as_many(endless, args, reader)
    text = continued(args.start, reader, ids)
    print(printable(text))
    return {"text": text, "tokens": [reader.words[i] for i in ids]}, 0


def as_many(ids, args, reader):
    """As many as were asked for; the last of N words is whole once the next begins."""
    if args.words is None:
        return list(islice(ids, args.length or LENGTH))
    taken: list[int] = []
    for i in islice(ids, LONGEST * args.words):
        if len(WORDS.findall(reader.go_on("", [*taken, i]))) > args.words:
            break
        taken.append(i)
    return taken


def continued(start, reader, ids):
    """The start as it was typed, and what was drawn, spaced as one text."""
    whole, before = reader.go_on(start, ids), reader.go_on(start, [])
    return start + whole.removeprefix(before) if whole.startswith(before) else whole
