"""`tinytie reproduce`: a published table, made again row by row."""

import math
import sys
from pathlib import Path

from tinytie.cli.figures import save_figure
from tinytie.cli.last_line import print_json
from tinytie.cli.options import above_zero, describe_corpus, natural, positive, share
from tinytie.cli.places import folder_for_results, place
from tinytie.cli.progress import Progress, duration, epoch_line, step_line
from tinytie.experiments.recipes.inan import INAN
from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.experiments.recipes.report import SPANS_HEAD, spans_line, table
from tinytie.experiments.recipes.run import Run, Stopped
from tinytie.experiments.recipes.spans import Scale, spans_by_beta
from tinytie.experiments.record import write_record
from tinytie.measure.subspace import chance_distance
from tinytie.printable import printable
from tinytie.text.corpora import topics_corpus
from tinytie.text.treebank import blank_corpus, is_penn_treebank, treebank_corpus
from tinytie.training.trainer import Step

HELP = "train the rows of a published table again and show them beside it"
RECIPES = {recipe.name: recipe for recipe in (PRESS_WOLF, INAN)}
OF_ALL = {"seed": natural, "epochs": positive, "width": positive}
OF_A_ROW = ("rows", "resume", "save_minutes", "paths", "dropout", "gamma")
SAVE_MINUTES = 10
OF_INAN = {"dropout": share, "gamma": above_zero, "tau": above_zero}


def add_arguments(parser):
    parser.add_argument("recipe", choices=RECIPES, help="whose table")
    text = parser.add_mutually_exclusive_group()
    text.add_argument(
        "--ptb", type=place, metavar="DIR", help="the folder of ptb.train.txt and the other two"
    )
    text.add_argument(
        "--files", type=place, metavar=("TRAIN", "VALID", "TEST"), nargs=3,
        help="three files of words set apart by blanks; without any, a text inside Python",
    )  # fmt: skip
    parser.add_argument("--rows", metavar="A,B", help="which rows, such as base,wt")
    parser.add_argument(
        "--out", type=place, metavar="DIR", help="where everything goes (runs/RECIPE)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with unfinished rows")
    parser.add_argument(
        "--save-minutes", metavar="M", type=above_zero,
        help=f"save every M minutes, besides after each epoch ({SAVE_MINUTES})",
    )  # fmt: skip
    parser.add_argument(
        "--paths", metavar="N", type=positive, help="measure both paths of E every N steps"
    )
    parser.add_argument(
        "--subspace", action="store_true",
        help="of inan: instead of the table, how far the spans of both embeddings lie apart",
    )  # fmt: skip
    for name, kind in (OF_ALL | OF_INAN).items():
        where = "of inan" if name in OF_INAN else "of the recipe"
        parser.add_argument(f"--{name}", metavar="N", type=kind, help=f"instead of that {where}")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")


def run(args):
    recipe = RECIPES[args.recipe]
    settings, rows, corpus = settings_of(args, recipe), rows_of(args, recipe), corpus_of(args)
    folder = Path(args.out or f"runs/{recipe.name}")
    print(describe_corpus(corpus), flush=True)
    if args.subspace:
        return subspace(args, corpus, folder)
    records = []
    for row in rows:
        minutes = args.save_minutes or SAVE_MINUTES
        one = Run(recipe, row, corpus, settings, folder, save_minutes=minutes,
                  paths_every=args.paths)  # fmt: skip
        print(f"row {row.name}: {row.meaning}", flush=True)
        try:
            records.append(finished(one, args.resume))
        except Stopped as stopped:
            print(f"tinytie: {stopped}; the same command with --resume goes on", file=sys.stderr)
            return 130
    print(table(recipe, records, is_penn_treebank(corpus)))
    figures = draw(recipe, records, folder)
    print(f"records, models and figures: {printable(str(folder))}")
    if args.json:
        print_json({
            "recipe": recipe.name, "settings": settings._asdict(), "text": records[0]["text"],
            "figures": figures, "rows": [summary(recipe, record) for record in records],
        })  # fmt: skip
    return 0


def settings_of(args, recipe):
    """The recipe's settings, with what was asked for instead."""
    given = {name: getattr(args, name) for name in OF_ALL | OF_INAN}
    given = {name: value for name, value in given.items() if value is not None}
    if recipe is not INAN and (args.subspace or given.keys() & OF_INAN.keys()):
        raise ValueError(
            f"--dropout, --gamma, --tau and --subspace belong to inan, not to {recipe.name}"
        )
    of_a_row = [name for name in OF_A_ROW if getattr(args, name)]
    if args.subspace and of_a_row:
        name = of_a_row[0].replace("_", "-")
        raise ValueError(f"--subspace trains no row of the table, so leave out --{name}")
    return recipe.settings._replace(**given)


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


def finished(one, resume):
    """The record of a row; meanwhile a line on each epoch."""
    began: list[float] = []  # the share of the row that an earlier start had done

    def watch(run, event):
        epochs = run.settings.epochs
        if not isinstance(event, Step):
            progress.note(f"{epoch_line(event, epochs)}  {duration(event.seconds)}")
            return
        done = (event.epoch + event.share) / epochs
        if not began:
            began.append(done)
        left = progress.left((done - began[0]) / (1 - began[0])) if done < 1 else ""
        progress.rewrite(f"{step_line(event, epochs)}  {left}")

    with Progress() as progress:
        return one.finish(resume, watch)


def draw(recipe, records, folder):
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
        save_figure(figure, folder / f"{name}.png", dpi=120)
    return [str(folder / f"{name}.png") for name in figures]


def summary(recipe, record):
    """The numbers of a row, with those published for the Penn Treebank."""
    names = ("row", "parameters", "width", "train", "valid", "test", "seconds")
    published = recipe.rows[record["row"]].published
    return {name: record[name] for name in names} | {"published": published and published._asdict()}


def subspace(args, corpus, folder):
    """The experiment of `spans_by_beta`: a line for each β, a figure, and a record."""
    from tinytie.plots.spans import spans_over_beta

    names = ("epochs", "width", "tau", "seed")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    scale = Scale()._replace(**given)
    folder_for_results(folder)
    print(SPANS_HEAD, flush=True)
    found = []
    for spans in spans_by_beta(corpus, scale):
        print(spans_line(spans), flush=True)
        found.append(spans._asdict())
    chance = chance_distance(len(corpus.vocabulary), scale.width, scale.width)
    print(f"two random spans of this size lie {chance:.3f} apart")
    save_figure(spans_over_beta(found, chance), folder / "subspace.png", dpi=120)
    record = {"scale": scale._asdict(), "text": corpus.name, "chance": chance, "spans": found}
    write_record(folder / "subspace.json", record)
    print(printable(f"figure and record: {folder / 'subspace.png'}, {folder / 'subspace.json'}"))
    if args.json:
        print_json(record)
    return 0
