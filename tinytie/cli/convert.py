"""`tinytie convert`: a model file of ours for another program, or one of theirs for us."""

import argparse

from tinytie.cli.files import file_name
from tinytie.cli.loading import opened_model
from tinytie.cli.options import declare, positive
from tinytie.interchange.converting import WRITERS
from tinytie.measure.parameters import count_parameters
from tinytie.printable import printable

HELP = "turn a model file into PyTorch's names or a GPT-2's, or one of theirs into ours"
EXAMPLE = "tinytie convert gpt2-folder --to tinytie --out gpt2.safetensors"
OPTIONS = {
    "heads": (positive, "of a Transformer's attention, which no array tells"),
    "norm": (("post", "pre"), "of an nn.TransformerEncoder: pre is norm_first=True (post)"),
    "activation": (("tanh", "relu", "gelu"), "of nn.RNN (tanh) or nn.TransformerEncoder (relu)"),
    "max_len": (positive, "longest text of an nn.TransformerEncoder without learned positions"),
    "tied": (bool, "two equal token matrices are one"),
    "nearest": (bool, "carry a GRU's b_hn as nearly as can be"),
}


def add_arguments(parser):
    parser.add_argument(
        "file", type=file_name, metavar="FILE",
        help="a checkpoint, a safetensors file under PyTorch's names, or the folder of a GPT-2",
    )  # fmt: skip
    parser.add_argument("--to", choices=WRITERS, required=True, help="whose names")
    parser.add_argument(
        "--out", type=file_name, metavar="FILE", required=True, help="for gpt2: a folder"
    )
    parser.add_argument(
        "--called", type=renamed, metavar="THEIRS=OURS", action="append",
        help="a name that is not known, such as emb.weight=E; may be given again",
    )  # fmt: skip
    declare(parser, OPTIONS)


def renamed(text):
    """A pair of names."""
    theirs, equals, ours = text.rpartition("=")
    if not (theirs and equals and ours):
        raise argparse.ArgumentTypeError(f"must be like emb.weight=E, got {text!r}")
    return theirs, ours


def run(args):
    given = {name: getattr(args, name) for name in OPTIONS if getattr(args, name)}
    if "heads" in given:
        given["n_heads"] = given.pop("heads")
    if args.called:
        given["called"] = dict(args.called)
    opened = opened_model(args.file, **given)
    WRITERS[args.to](args.out, opened)
    count = count_parameters(opened.model)
    print(
        f"{printable(args.out)}: a {type(opened.model).__name__} of {count['total']:,} parameters"
    )
    if count["savings"]:
        print(f"the {count['embedding']:,} numbers of its token matrix are stored once")
    return {"out": args.out, "to": args.to, "model": type(opened.model).__name__} | count, 0
