"""`tinytie reproduce`: a published table, made again row by row."""

import math
from functools import partial
from pathlib import Path

from tinytie.cli.files import file_name, folder_for_results, folder_name, save_figure
from tinytie.cli.language import describe_corpus
from tinytie.cli.options import above_zero, declare, declare_options, flag, given_options, positive
from tinytie.cli.progress import Listener, Progress
from tinytie.cli.table import table
from tinytie.experiments.engine import Stopped
from tinytie.experiments.recipes.inan import INAN
from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.experiments.recipes.recipe import Published
from tinytie.experiments.recipes.run import finish, row_job
from tinytie.experiments.recipes.spans import Scale, spans_by_beta
from tinytie.experiments.record import write_record
from tinytie.measure.subspace import chance_distance
from tinytie.printable import printable
from tinytie.text.corpora import topics_corpus
from tinytie.text.treebank import blank_corpus, is_penn_treebank, treebank_corpus

HELP = "train the rows of a published table again and show them beside it"
EXAMPLE = "tinytie reproduce press-wolf --rows wt --out runs/press-wolf"
RECIPES = {recipe.name: recipe for recipe in (PRESS_WOLF, INAN)}
OF_A_ROW = ("rows", "resume", "save_minutes", "paths", "dropout", "gamma")
OF_INAN = {"dropout", "gamma", "tau"}
SAVE_MINUTES = 10
PARTS = ("train", "valid", "test")


def add_arguments(parser):
    parser.add_argument("recipe", choices=RECIPES, help="whose table")
    text = parser.add_mutually_exclusive_group()
    text.add_argument(
        "--ptb", type=file_name, metavar="DIR", help="the folder of ptb.train.txt and the other two"
    )
    text.add_argument(
        "--files", type=file_name, metavar=("TRAIN", "VALID", "TEST"), nargs=3,
        help="three files of words set apart by blanks; without any, a text inside Python",
    )  # fmt: skip
    declare(parser, {
        "rows": (str, "which rows, such as base,wt"),
        "out": (folder_name, "the folder that everything goes to (runs/RECIPE)"),
        "resume": (bool, "go on with unfinished rows"),
        "save_minutes": (above_zero, f"save so often, besides after each epoch ({SAVE_MINUTES})"),
        "paths": (positive, "measure both paths of E every N steps"),
        "subspace": (bool, "of inan: instead of the table, how far the spans of both embeddings "
                     "lie apart"),
    })  # fmt: skip
    group = parser.add_argument_group(f"instead of the recipe's own ({', '.join(RECIPES)})")
    settings = [recipe.settings for recipe in RECIPES.values()]
    declare_options(group, settings, {"seed", "epochs", "width", *OF_INAN})


def run(args):
    recipe = RECIPES[args.recipe]
    options, rows = options_of(args, recipe), rows_of(args, recipe)
    corpus = corpus_of(args)
    folder = Path(args.out or f"runs/{recipe.name}")
    print(describe_corpus(corpus), flush=True)
    if args.subspace:
        return subspace(options, corpus, folder), 0
    settings = recipe.settings.changed(**options)
    records = []
    for row in rows:
        job = row_job(
            recipe, row, corpus, settings, folder, resume=args.resume, paths_every=args.paths,
            save_minutes=args.save_minutes or SAVE_MINUTES,
        )  # fmt: skip
        print(f"{job.label}: {row.meaning}", flush=True)
        records.append(finished(job))
    print(results_table(recipe, records, is_penn_treebank(corpus)))
    figures = draw(records, folder)
    print(f"records, models and figures: {printable(str(folder))}")
    found = {"recipe": recipe.name, "settings": settings.asdict(), "text": records[0]["text"]}
    rows = [summary(recipe, record) for record in records]
    return found | {"figures": figures, "rows": rows}, 0


def options_of(args, recipe):
    """What was asked for instead of the recipe's own."""
    given = given_options(args)
    if recipe is not INAN and (args.subspace or given.keys() & OF_INAN):
        raise ValueError(
            f"--dropout, --gamma, --tau and --subspace belong to inan, not to {recipe.name}"
        )
    of_a_row = [name for name in OF_A_ROW if getattr(args, name)]
    if args.subspace and of_a_row:
        raise ValueError(f"--subspace trains no row of the table, so leave out {flag(of_a_row[0])}")
    return given


def rows_of(args, recipe):
    """The rows asked for, in that order."""
    names = recipe.default_rows if args.rows is None else args.rows.split(",")
    for name in names:
        if name not in recipe.rows:
            raise ValueError(f"--rows: no row {name!r}; there are {', '.join(recipe.rows)}")
    return [recipe.rows[name] for name in dict.fromkeys(names)]


def corpus_of(args):
    """The text asked for."""
    if args.ptb:
        return treebank_corpus(args.ptb)
    return blank_corpus(*args.files) if args.files else topics_corpus()


def finished(job):
    """The record of a row; meanwhile a line on each epoch."""
    try:
        with Progress() as progress:
            return finish(job, partial(Listener(progress, [job]), 0))
    except Stopped as stopped:
        raise Stopped(f"{stopped}; the same command with --resume goes on") from None


def results_table(recipe, records, penn_treebank):
    """What came out here, beside what was published."""
    where = "published" if penn_treebank else "published for the Penn Treebank, not run here"
    columns = ["parameters", *PARTS]
    rows = []
    for record in records:
        said = recipe.rows[record["row"]].published or Published()
        others = " ".join(f"{test:.1f}" for test in said.reproduced)
        rows.append([record["row"], *cells(record), "|", *cells(said._asdict()), others])
    lines = [f"this run | {where}", table(["row", *columns, "|", *columns, "test of others"], rows)]
    if not penn_treebank:
        lines.append("The two halves are of different texts: compare the rows of each half.")
    return "\n".join(lines)


def cells(numbers):
    """Parameters and the three perplexities as text; - where there is none."""
    count = numbers["parameters"]
    perplexities = [numbers[part] for part in PARTS]
    return ["-" if count is None else f"{count:,}",
            *("-" if one is None else f"{one:.1f}" for one in perplexities)]  # fmt: skip


def draw(records, folder):
    """The learning curves of all rows, and both paths of each row that measured them."""
    from tinytie.plots.curves import learning_curves
    from tinytie.plots.paths import paths_over_time

    train, valid = (
        {r["row"]: [[epoch[part] or math.nan for epoch in r["epochs"]]] for r in records}
        for part in ("train", "valid")
    )
    best = min(records, key=lambda record: record["valid"] or math.inf)
    title = f"Lowest validation perplexity reported: {best['valid']:.1f}, row {best['row']}"
    figures = {"curves": learning_curves(train, valid, title)}
    for record in records:
        if record["paths"]:
            figures[f"paths-{record['row']}"] = paths_over_time(record["paths"])
    for name, figure in figures.items():
        save_figure(figure, folder / f"{name}.png")
    return [str(folder / f"{name}.png") for name in figures]


def summary(recipe, record):
    """The numbers of a row, with those published for the Penn Treebank."""
    names = ("row", "parameters", "width", *PARTS, "seconds")
    published = recipe.rows[record["row"]].published
    return {name: record[name] for name in names} | {"published": published and published._asdict()}


def subspace(options, corpus, folder):
    """The experiment of `spans_by_beta`: a line for each β, a figure, and a record."""
    from tinytie.plots.spans import spans_over_beta

    scale = Scale().changed(**options)
    folder_for_results(folder)
    print(f"{'β':>6}{'distance of the spans':>24}{'E_out outside span(E_in)':>27}{'valid':>9}",
          flush=True)  # fmt: skip
    found = []
    for s in spans_by_beta(corpus, scale):
        print(f"{s.beta:>6g}{s.distance:>24.3f}{s.residual:>27.3f}{s.valid:>9.1f}", flush=True)
        found.append(s._asdict())
    chance = chance_distance(len(corpus.vocabulary), scale.width, scale.width)
    print(f"two random spans of this size lie {chance:.3f} apart")
    save_figure(spans_over_beta(found, chance), folder / "subspace.png")
    record = {"scale": scale.asdict(), "text": corpus.name, "chance": chance, "spans": found}
    write_record(folder / "subspace.json", record)
    print(printable(f"figure and record: {folder / 'subspace.png'}, {folder / 'subspace.json'}"))
    return record
