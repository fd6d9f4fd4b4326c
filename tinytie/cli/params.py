"""`tinytie params`: what the token matrices weigh, in a file, for given sizes, in known models."""

from pathlib import Path

from tinytie.cli.files import figure_file, file_name, save_figure
from tinytie.cli.loading import MODEL, opened_model
from tinytie.cli.options import declare, declare_options, given_options, options_from, positive
from tinytie.experiments.compare import LanguageOptions
from tinytie.measure.known_models import BYTES, KNOWN_MODELS
from tinytie.measure.parameters import count_parameters
from tinytie.printable import printable

HELP = "count parameters: of a model file, of given sizes, or of well-known models"
EXAMPLE = "tinytie params --vocab-size 50257 --embed 768"
MIB = 2**20


def add_arguments(parser):
    parser.add_argument(
        "file", type=file_name, nargs="?", help=f"{MODEL}; without it, the sizes below"
    )
    parser.add_argument("--embed", dest="width", type=positive, metavar="D", help="embedding width")
    sizes = ("model", "hidden", "cell", "layers", "heads", "steps", "window")
    declare_options(parser, [LanguageOptions()], sizes)
    declare(parser, {
        "vocab_size": (positive, "words"),
        "untied": (bool, "two token matrices"),
        "projection": (bool, "a projection also where D = H"),
        "no_bias": (bool, "no output bias"),
        "plot": (figure_file, "save a figure there"),
    })  # fmt: skip


def run(args):
    asked = given_options(args) or any(
        (args.vocab_size, args.untied, args.projection, args.no_bias)
    )
    if args.file is not None and asked:
        raise ValueError("give a model file or sizes, not both")
    if args.file is None and not asked:
        return known_models(args), 0
    if asked:
        name, count = "these sizes", count_sizes(args)
    else:
        model = opened_model(args.file).model
        name, count = printable(Path(args.file).name), count_parameters(model)
    print_count(count)
    if args.plot:
        from tinytie.plots.parameters import parts_of_a_model

        draw(parts_of_a_model(count, name), args.plot)
    return count, 0


def count_sizes(args):
    """The count of a language model of these sizes, without making its arrays."""
    if args.vocab_size is None or args.width is None:
        raise ValueError("sizes need both --vocab-size and --embed")
    more = {"tied": not args.untied}
    if args.projection:
        more["projection"] = True
    if args.no_bias:
        more["output_bias"] = False
    options = options_from(args, LanguageOptions(dropout=0.0), "params")
    return count_parameters(options.sketch(args.vocab_size, **more))


def print_count(count):
    share = count["embedding"] / count["total"]
    print(f"token matrices  {count['embedding']:>15,}  {share:6.1%}")
    print(f"all the rest    {count['other']:>15,}  {1 - share:6.1%}")
    print(f"total           {count['total']:>15,}")
    print(f"without tying   {count['without_tying']:>15,}")
    mib = BYTES * count["savings"] / MIB
    print(f"saved by tying  {count['savings']:>15,}  {mib:,.1f} MiB in float32")


def known_models(args):
    width = max(len(model.name) for model in KNOWN_MODELS)
    print(f"{'model':{width}} {'parameters':>13} {'one matrix':>11} {'share':>6}  tied  "
          f"{'MiB saved':>9}  from")  # fmt: skip
    for m in KNOWN_MODELS:
        mib = f"{BYTES * m.savings / MIB:,.1f}"
        saved = mib if m.tied else f"({mib})"
        print(f"{m.name:{width}} {m.total:13,} {m.matrix:11,} {m.share:6.1%}  "
              f"{'yes' if m.tied else 'no':4}  {saved:>9}  {m.source}")  # fmt: skip
    print(
        "\none matrix: V · d numbers, and their share of all parameters; MiB in float32, in "
        "parentheses\nwhere the model is not tied and tying would save them"
    )
    if args.plot:
        from tinytie.plots.parameters import share_of_the_token_matrix

        draw(share_of_the_token_matrix(KNOWN_MODELS), args.plot)
    return {"models": [as_json(model) for model in KNOWN_MODELS]}


def as_json(model):
    derived = ("matrix", "total", "share", "savings")
    return model._asdict() | {name: getattr(model, name) for name in derived}


def draw(figure, name):
    save_figure(figure, name)
    print(f"figure: {printable(name)}")
