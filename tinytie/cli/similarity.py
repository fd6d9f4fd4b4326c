"""`tinytie similarity`: what the rows of a trained embedding mean."""

import numpy as np

from tinytie.cli.files import figure_file, file_name, save_figure
from tinytie.cli.loading import MODEL, opened_model
from tinytie.cli.options import declare
from tinytie.measure.neighbours import neighbours, plane, unit_rows
from tinytie.measure.similarity import agreement, distance_correlation, read_pairs, row_of
from tinytie.printable import printable

HELP = "compare a checkpoint's word vectors with human similarity scores, and look at them"
EXAMPLE = "tinytie similarity model.safetensors --neighbours value"
MAP_WORDS = 40
FEW_PAIRS = 50  # of which a correlation says nothing


def add_arguments(parser):
    parser.add_argument(
        "checkpoint", type=file_name, metavar="MODEL", help=f"with a vocabulary: {MODEL}"
    )
    parser.add_argument(
        "files", type=file_name, metavar="FILE", nargs="*", help="lines of: word1 word2 score"
    )
    parser.add_argument(
        "--neighbours", metavar="WORD", action="append", default=[],
        help="show the ten nearest words; may be given again",
    )  # fmt: skip
    declare(parser, {
        "other": (file_name, "compare distances with this second model's"),
        "words": (int, "compare distances between the first N words (1000)"),
        "plot": (figure_file, "draw the words on a plane"),
    })  # fmt: skip


def run(args):
    args.words = 1000 if args.words is None else args.words
    if args.words < 3:
        raise ValueError(f"--words must be at least 3, got {args.words}")
    words, ids, matrices = embeddings_of(args.checkpoint)
    sets = [read_pairs(path) for path in args.files]
    found = {
        "checkpoint": args.checkpoint,
        "sets": print_agreements(matrices, ids, sets),
        "distances": print_distances(args, words, matrices),
        "neighbours": [print_neighbours(matrices, words, ids, word) for word in args.neighbours],
    }
    if args.plot:
        draw(args.plot, matrices, words, mapped_words(words, ids, sets))
    return found, 0


def embeddings_of(path):
    """The words, their rows, and the token matrices by name: E where tied, else E_in and E_out."""
    opened = opened_model(path)
    try:
        words, rows = opened.labels()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    model = opened.model
    return words, rows, {name: model.params[name] for name in model.embedding_names}


def print_agreements(matrices, ids, sets):
    """A line for each file and matrix: Spearman's correlation, and the pairs it rests on."""
    if sets:
        print(f"{'pairs from':24} {'matrix':6} {'Spearman':>8}  {'95 %':14}  pairs covered")
    found = []
    for pair_set in sets:
        for name, E in matrices.items():
            rho, covered, total, (low, high) = agreement(E, ids, pair_set.pairs)
            range_ = f"{low:.2f} to {high:.2f}"
            set_name = printable(pair_set.name)
            print(f"{set_name:24} {name:6} {rho:8.3f}  {range_:14}  {covered} of {total}")
            found.append({"set": pair_set.name, "matrix": name, "spearman": rho,
                          "interval": [low, high], "covered": covered, "total": total})  # fmt: skip
        if covered < FEW_PAIRS:
            print(f"{printable(pair_set.name)}: {covered} pairs are too few to say anything; the "
                  f"model knows too few of its words, so take a set of {FEW_PAIRS} known pairs or "
                  "more, or train on a larger text")  # fmt: skip
    return found


def print_distances(args, words, matrices):
    """The correlation between the cosines of all pairs of words, for every two matrices."""
    if args.other:
        others, _, second = embeddings_of(args.other)
        if others != words:
            raise ValueError(f"{args.other} has another vocabulary than {args.checkpoint}")
        matrices = matrices | {f"other {name}": E for name, E in second.items()}
    found = []
    for i, first in enumerate(matrices):
        for second in list(matrices)[i + 1 :]:
            pair = matrices[first][: args.words], matrices[second][: args.words]
            rho = distance_correlation(*pair)
            print(f"distances of {len(pair[0])} words in {first} and {second}: Spearman {rho:.3f}")
            found.append({"matrices": [first, second], "words": len(pair[0]),
                          "spearman": rho})  # fmt: skip
    return found


def print_neighbours(matrices, words, ids, word):
    """The ten nearest words in each matrix."""
    row = row_of(word, ids)
    if row < 0:
        raise ValueError(f"{word!r} is not in the vocabulary of {len(words)} words")
    found = {}
    for name, E in matrices.items():
        found[name] = [(words[token], round(cosine, 4)) for token, cosine in neighbours(E, row)]
        listed = ", ".join(f"{other} {cosine:.2f}" for other, cosine in found[name])
        print(f"nearest to {words[row]!r} in {name}: {printable(listed)}")
    return {"word": words[row], "nearest": found}


def mapped_words(words, ids, sets):
    """Rows to draw, the frequent first: the words of the files; without files, any words."""
    paired = {row_of(word, ids) for s in sets for pair in s.pairs for word in pair[:2]} - {-1}
    rows = sorted(paired) or [row for row, word in enumerate(words) if word.strip("␣").isalpha()]
    return np.array(rows[:MAP_WORDS], dtype=int)


def draw(path, matrices, words, rows):
    """The figure of `word_maps`, as a PNG."""
    from tinytie.plots.similarity import word_maps

    if len(rows) < 3:
        raise ValueError(f"a map takes at least three words, and only {len(rows)} are known here")
    maps = {name: plane(unit_rows(E[rows])) for name, E in matrices.items()}
    save_figure(word_maps(maps, [printable(words[row]) for row in rows]), path)
    print(f"map of {len(rows)} words: {printable(path)}")
