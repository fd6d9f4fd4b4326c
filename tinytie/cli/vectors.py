"""`tinytie vectors`: the rows of a token matrix for other programs, neighbours, analogies."""

from tinytie.cli.files import file_for_results, file_name
from tinytie.cli.loading import MODEL
from tinytie.cli.similarity import embeddings_of
from tinytie.files.atomic import atomic_file
from tinytie.measure.neighbours import analogy, neighbours
from tinytie.measure.similarity import row_of
from tinytie.printable import printable
from tinytie.text.vectors import write_vectors

HELP = "write a model's word vectors for other programs; neighbours and analogies"
EXAMPLE = "tinytie vectors model.safetensors --out vectors.txt"


def add_arguments(parser):
    parser.add_argument("model", type=file_name, metavar="MODEL", help=MODEL)
    parser.add_argument(
        "--out", type=file_name, metavar="FILE", help="write them there, in word2vec's text format"
    )
    parser.add_argument(
        "--matrix", choices=("E", "E_in", "E_out"), help="which (E, or E_in of an untied model)"
    )
    parser.add_argument(
        "--neighbours", metavar="WORD", action="append", default=[], help="its ten nearest words"
    )
    parser.add_argument(
        "--analogy", nargs=3, metavar=("A", "B", "C"), help="A is to B as C is to which ten words?"
    )


def run(args):
    if not (args.out or args.neighbours or args.analogy):
        raise ValueError("say what to do: --out FILE, --neighbours WORD or --analogy A B C")
    words, rows, matrices = embeddings_of(args.model)
    name = args.matrix or next(iter(matrices))
    if name not in matrices:
        raise ValueError(f"{args.model} has no {name}, it has {' and '.join(matrices)}")
    E = matrices[name]
    found = {"matrix": name, "words": len(E), "width": E.shape[1], "out": args.out}
    found["neighbours"] = {
        word: said(f"nearest to {word!r}", words, neighbours(E, row))
        for word, row in zip(args.neighbours, rows_of(args.neighbours, rows), strict=True)
    }
    if args.analogy:
        a, b, c = args.analogy
        near = analogy(E, *rows_of(args.analogy, rows))
        found["analogy"] = said(f"{a!r} is to {b!r} as {c!r} is to", words, near)
    if args.out:
        with atomic_file(file_for_results(args.out)) as file:
            write_vectors(file, words, E)
        print(f"{len(E):,} vectors of width {E.shape[1]} from {name}: {printable(args.out)}")
    return found, 0


def rows_of(asked, rows):
    """The row of each word, or a ValueError that names the one that has none."""
    found = [row_of(word, rows) for word in asked]
    if -1 in found:
        word = asked[found.index(-1)]
        raise ValueError(f"{word!r} is not in the vocabulary of {len(rows)} words")
    return found


def said(what, words, near):
    """One line, and the words with their cosines."""
    found = [(words[token], round(cosine, 4)) for token, cosine in near]
    listed = ", ".join(f"{word} {cosine:.2f}" for word, cosine in found)
    print(printable(f"{what}: {listed}"))
    return found
