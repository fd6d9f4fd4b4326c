"""`tinytie sample`: text drawn from a saved model."""

import argparse
import re
from itertools import islice

from tinytie.cli.files import file_name
from tinytie.cli.loading import load_for_text
from tinytie.cli.options import OPTIONS, above_zero, declare, positive
from tinytie.printable import printable
from tinytie.text.sampling import drawn
from tinytie.text.tokenizers import EOS, UNK, join, tokenize

HELP = "draw text from a saved model"
LENGTH = 60  # tokens
LONGEST = 50  # tokens a word, where a model never ends one
WORDS = re.compile(r"\w+(?:['’]\w+)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", type=file_name, metavar="MODEL", help="what `tinytie train` has saved"
    )
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
    model, vocabulary, tokenizer = load_for_text(args.model)
    given = tokenize(args.start, tokenizer)[:-1]  # without the end of its last line
    never = () if args.unknown or UNK not in vocabulary.ids else (vocabulary.ids[UNK],)
    ids = drawn(
        model, vocabulary.encode([EOS, *given]), temperature=args.temperature or 1.0,
        top_k=args.top_k, without=never, rng=args.seed or 0,
    )  # fmt: skip
    tokens = drawn_tokens(map(vocabulary.words.__getitem__, ids), args, tokenizer)
    text = continued(args.start, given, tokens, tokenizer)
    print(printable(text))
    return {"text": text, "tokens": tokens}, 0


def drawn_tokens(tokens, args, tokenizer):
    """As many as were asked for; the last of N words is whole once the next begins."""
    if args.words is None:
        return list(islice(tokens, args.length or LENGTH))
    taken: list[str] = []
    for token in islice(tokens, LONGEST * args.words):
        if len(WORDS.findall(join([*taken, token], tokenizer))) > args.words:
            break
        taken.append(token)
    return taken


def continued(start, given, tokens, tokenizer):
    """The start as it was typed, and what was drawn, spaced as one text."""
    whole, before = join([*given, *tokens], tokenizer), join(given, tokenizer)
    return start + whole.removeprefix(before) if whole.startswith(before) else whole
