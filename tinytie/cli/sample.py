"""`tinytie sample`: text drawn from a saved model."""

import argparse

from tinytie.cli.last_line import print_json
from tinytie.cli.loading import load_for_text
from tinytie.cli.options import above_zero, natural, positive
from tinytie.cli.places import place
from tinytie.printable import printable
from tinytie.text.sampling import generate
from tinytie.text.tokenizers import EOS, join, tokenize

HELP = "draw text from a saved model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=place, metavar="MODEL", help="what `tinytie train` has saved")
    parser.add_argument("--length", type=positive, default=60, metavar="N", help="tokens (60)")
    parser.add_argument(
        "--temperature", type=above_zero, default=1.0, metavar="A",
        help="below 1 the likely becomes likelier, above 1 all become more even (1)",
    )  # fmt: skip
    parser.add_argument(
        "--top-k", type=positive, metavar="K", help="draw only among the K likeliest (all)"
    )
    parser.add_argument("--start", default="", metavar="TEXT", help="the text to go on from")
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="(0)")
    parser.add_argument("--json", action="store_true", help="print the sample as the last line")


def run(args: argparse.Namespace) -> int:
    model, vocabulary, tokenizer = load_for_text(args.model)
    given = tokenize(args.start, tokenizer)[:-1]  # without the end of its last line
    ids = generate(
        model, vocabulary.encode([EOS, *given]), args.length,
        temperature=args.temperature, top_k=args.top_k, rng=args.seed,
    )  # fmt: skip
    text = join([*given, *vocabulary.decode(ids)], tokenizer)
    print(printable(text))
    if args.json:
        print_json({"text": text, "tokens": vocabulary.decode(ids)})
    return 0
