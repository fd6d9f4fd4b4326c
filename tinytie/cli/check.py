"""`tinytie check`: every gradient of the built-in language models against differences."""

from pathlib import Path

import numpy as np

from tinytie.cli.files import folder_for_results, folder_name, save_figure
from tinytie.cli.options import OPTIONS, declare
from tinytie.gradcheck import FAIL, PASS, UNCHECKED, check_model
from tinytie.gradcheck.configurations import configurations, telling_batch
from tinytie.models.bodies import BODIES
from tinytie.ops.cells import CELLS
from tinytie.printable import printable

HELP = "check every gradient of the built-in language models against differences of the loss"
EXAMPLE = "tinytie check --cell gru --layers 1"
SWITCHES = {
    "tied": "one embedding matrix", "projection": "a projection between h and the scores",
    "scale": "a factor on the looked-up rows", "bias": "an output bias",
    "dropout": "dropout everywhere, on the state too", "padding": "targets that do not count",
}  # fmt: skip


def add_arguments(parser):
    parser.add_argument("--model", choices=BODIES, help="only this body")
    parser.add_argument("--cell", choices=CELLS, help="only recurrent models of this cell")
    parser.add_argument("--layers", type=int, choices=(1, 2, 3), help="only this many layers")
    for flag, what in SWITCHES.items():
        add_switch(parser, flag, what)
    declare(parser, {
        "seed": OPTIONS["seed"],
        "plot": (folder_name, "save two figures there, of the first that fails, or else of the "
                 "first"),
    })  # fmt: skip


def add_switch(parser, flag, what):
    """--flag and --no-flag; neither leaves both in. Tied has a word of its own for its opposite."""
    opposite = "--untied" if flag == "tied" else f"--no-{flag}"
    both = parser.add_mutually_exclusive_group()
    both.add_argument(f"--{flag}", action="store_true", default=None, help=f"only with {what}")
    both.add_argument(opposite, dest=flag, action="store_false", default=None, help="only without")


def run(args):
    if args.plot:
        folder_for_results(args.plot)
    seed = args.seed or 0
    fixed = {flag: getattr(args, flag) for flag in SWITCHES}
    fixed |= {"model": args.model, "cell": args.cell, "n_layers": args.layers}
    fixed = {name: value for name, value in fixed.items() if value is not None}
    checked = [(case, check(case, seed)) for case in configurations(**fixed)]
    verdicts = [report.verdict for _, report in checked]
    print(summary(verdicts))
    shown = next((case for case, report in checked if report.verdict == FAIL), checked[0][0])
    saved = plot(Path(args.plot), shown, seed) if args.plot else []
    return record(seed, checked, saved), 1 if FAIL in verdicts else 0


def case_of(case, seed):
    """The model and its batch, from one seed."""
    rng = np.random.default_rng(seed)
    model = case.build(rng)
    return model, *telling_batch(model, rng)


def check(case, seed):
    """One configuration: its title, then the report, a line for each parameter."""
    report = check_model(*case_of(case, seed))
    print(f"{case.title}\n  " + str(report).replace("\n", "\n  "), flush=True)
    return report


def summary(verdicts):
    """How many of each."""
    counts = [f"{verdicts.count(v)} {v}" for v in (PASS, FAIL, UNCHECKED) if v in verdicts]
    plural = "configuration" if len(verdicts) == 1 else "configurations"
    return f"{len(verdicts)} {plural}: {', '.join(counts)}"


def record(seed, checked, saved):
    """What is printed for machines."""
    cases = [
        {"title": case.title, "model": case.model} | case.arguments | report.as_dict()
        for case, report in checked
    ]
    verdicts = {report.verdict for _, report in checked}
    worst = next(v for v in (FAIL, UNCHECKED, PASS) if v in verdicts)
    return {
        "verdict": worst, "seed": seed, "configurations": cases,
        "figures": [str(path) for path in saved],
    }  # fmt: skip


def plot(folder, case, seed):
    """The two figures of one configuration, in its tied form."""
    from tinytie.gradcheck.diagnosis.pictures import STEPS, embedding_residual, errors_by_step
    from tinytie.plots.gradcheck import error_against_step, residual_heat_map

    model, x, y, state = case_of(case._replace(tied=True), seed)
    loss = lambda: model.loss(x, y, state)[0]  # noqa: E731
    errors = errors_by_step(loss, model.params["E"], model.loss_and_grads(x, y, state).grads["E"])
    figures = {
        "error-against-step.png": error_against_step(errors, STEPS),
        "residual-of-E.png": residual_heat_map(embedding_residual(model, x, y, state)),
    }
    for name, figure in figures.items():
        save_figure(figure, folder / name)
        print(f"saved {printable(str(folder / name))}")
    return [folder / name for name in figures]
