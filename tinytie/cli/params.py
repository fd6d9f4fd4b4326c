"""`tinytie params`: what the token matrices weigh, in a file, for given sizes, in known models."""

from pathlib import Path

from tinytie.cli.figures import figure_file, save_figure
from tinytie.cli.last_line import print_json
from tinytie.cli.options import few, positive
from tinytie.cli.places import place
from tinytie.measure.known_models import BYTES, KNOWN_MODELS
from tinytie.measure.parameters import count_parameters
from tinytie.models.rnn_lm import RNNLM
from tinytie.ops.cells import CELLS
from tinytie.printable import printable

HELP = "count parameters: of a model file, of given sizes, or of well-known models"
MIB = 2**20
OF_SIZES = "vocab_size", "embed", "hidden", "cell", "layers", "untied", "projection", "no_bias"


def add_arguments(parser):
    parser.add_argument(
        "file", type=place, nargs="?", help="a model file; without it, the sizes below"
    )
    parser.add_argument("--vocab-size", type=positive, metavar="V", help="words")
    parser.add_argument("--embed", type=positive, metavar="D", help="width of the embedding")
    parser.add_argument("--hidden", type=positive, metavar="H", help="hidden width (default D)")
    parser.add_argument("--cell", choices=CELLS, help="default rnn")
    parser.add_argument("--layers", type=few, metavar="L", help="default 1")
    parser.add_argument("--untied", action="store_true", help="two token matrices")
    parser.add_argument("--projection", action="store_true", help="a projection also where D = H")
    parser.add_argument("--no-bias", action="store_true", help="no output bias")
    parser.add_argument("--plot", type=figure_file, metavar="FILE", help="save a figure there")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")


def run(args):
    sizes = any(getattr(args, name) for name in OF_SIZES)
    if args.file is not None and sizes:
        raise ValueError("give a model file or sizes, not both")
    if args.file is None and not sizes:
        return known_models(args)
    if sizes:
        name, count = "these sizes", count_sizes(args)
    else:
        from tinytie.files.checkpoint import load  # only where a file is read

        name, count = printable(Path(args.file).name), count_parameters(load(args.file))
    print_count(count)
    if args.plot:
        from tinytie.plots.parameters import parts_of_a_model

        draw(parts_of_a_model(count, name), args.plot)
    if args.json:
        print_json(count)
    return 0


def count_sizes(args):
    """The count of a recurrent language model of these sizes, without making its arrays."""
    if args.vocab_size is None or args.embed is None:
        raise ValueError("sizes need both --vocab-size and --embed")
    return count_parameters(RNNLM.sketch(
        args.vocab_size, args.embed, args.hidden, cell=args.cell or "rnn", tied=not args.untied,
        n_layers=args.layers or 1, projection=True if args.projection else None,
        output_bias=not args.no_bias,
    ))  # fmt: skip


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
    if args.json:
        print_json({"models": [as_json(model) for model in KNOWN_MODELS]})
    return 0


def as_json(model):
    derived = ("matrix", "total", "share", "savings")
    return model._asdict() | {name: getattr(model, name) for name in derived}


def draw(figure, path):
    save_figure(figure, path)
    print(f"figure: {printable(path)}")
