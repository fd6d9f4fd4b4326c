"""`tinytie sample`: text drawn from a saved model."""

import argparse

import numpy as np

from tinytie.cli.files import file_name
from tinytie.cli.loading import MODEL, load_for_text
from tinytie.cli.options import OPTIONS, above_zero, declare, positive
from tinytie.printable import printable
from tinytie.text.sampling import generate

HELP = "draw text from a saved model"
EXAMPLE = "tinytie sample model.safetensors --start 'the value' --length 40"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=file_name, metavar="MODEL", help=MODEL)
    parser.add_argument("--length", type=positive, default=60, metavar="N", help="tokens (60)")
    parser.add_argument("--start", default="", metavar="TEXT", help="the text to go on from")
    declare(parser, {
        "temperature": (above_zero, "below 1 the likely become likelier, above 1 all become more "
                        "even (1)"),
        "top_k": (positive, "draw only among the K likeliest (all)"),
        "seed": OPTIONS["seed"],
    })  # fmt: skip


def run(args: argparse.Namespace) -> tuple[dict, int]:
    model, reader = load_for_text(args.model)
    ids = generate(
        model, np.append(reader.start, reader.begin(args.start)), args.length,
        temperature=args.temperature or 1.0, top_k=args.top_k, rng=args.seed or 0,
    )  # fmt: skip
    text = reader.go_on(args.start, ids)
    print(printable(text))
    return {"text": text, "tokens": [reader.words[i] for i in ids]}, 0
