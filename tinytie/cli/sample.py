"""`tinytie sample`: text drawn from a saved model."""

import argparse

from tinytie.cli.files import file_name
from tinytie.cli.loading import load_for_text
from tinytie.cli.options import OPTIONS, above_zero, declare, positive
from tinytie.printable import printable
from tinytie.text.sampling import generate
from tinytie.text.tokenizers import EOS, join, tokenize

HELP = "draw text from a saved model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", type=file_name, metavar="MODEL", help="what `tinytie train` has saved"
    )
    parser.add_argument("--length", type=positive, default=60, metavar="N", help="tokens (60)")
    parser.add_argument("--start", default="", metavar="TEXT", help="the text to go on from")
    declare(parser, {
        "temperature": (above_zero, "below 1 the likely become likelier, above 1 all become more "
                        "even (1)"),
        "top_k": (positive, "draw only among the K likeliest (all)"),
        "seed": OPTIONS["seed"],
    })  # fmt: skip


def run(args: argparse.Namespace) -> tuple[dict, int]:
    model, vocabulary, tokenizer = load_for_text(args.model)
    given = tokenize(args.start, tokenizer)[:-1]  # without the end of its last line
    ids = generate(
        model, vocabulary.encode([EOS, *given]), args.length,
        temperature=args.temperature or 1.0, top_k=args.top_k, rng=args.seed or 0,
    )  # fmt: skip
    text = join([*given, *vocabulary.decode(ids)], tokenizer)
    print(printable(text))
    return {"text": text, "tokens": vocabulary.decode(ids)}, 0
