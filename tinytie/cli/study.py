"""`tinytie study`: a question that the papers leave open, asked of small models."""

from tinytie.cli.files import folder_for_results, folder_name, save_figure
from tinytie.cli.options import declare, few
from tinytie.cli.progress import Listener, Progress
from tinytie.cli.table import table
from tinytie.experiments.record import run_record, write_record
from tinytie.experiments.studies import STUDIES
from tinytie.experiments.workers import cores, run_all
from tinytie.measure.perplexity import perplexity
from tinytie.printable import printable

HELP = "ask a question that the papers on tying leave open, with several seeds"
EXAMPLE = "tinytie study dial --seeds 3"


def add_arguments(parser):
    questions = "; ".join(f"{name}: {study.question}" for name, study in STUDIES.items())
    parser.add_argument("study", choices=STUDIES, help=questions)
    declare(parser, {
        "seeds": (few, "runs of each arm (3)"),
        "processes": (few, f"runs side by side, one for each processor ({cores()})"),
        "out": (folder_name, "the folder to save in (runs/study-NAME)"),
    })  # fmt: skip


def run(args):
    from tinytie.plots.studies import FIGURES

    study, seeds = STUDIES[args.study], args.seeds or 3
    folder = folder_for_results(args.out or f"runs/study-{study.name}")
    jobs = study.jobs(seeds)
    ended = lambda run: f"test perplexity {perplexity(run.found[1]):.1f}"  # noqa: E731
    with Progress() as progress:
        runs = run_all(jobs, args.processes or cores(), Listener(progress, jobs, ended, False))
    found = study.summarize(jobs, runs)
    print(table(study.head, [study.line(row) for row in found["rows"]]))
    own = ("seed", "width", "rate", "optimizer")  # what may differ from arm to arm
    asked = {key: value for key, value in jobs[0].options.asdict().items() if key not in own}
    record = run_record(asked, list(range(seeds))) | {"study": study.name} | found
    write_record(folder / "record.json", record)
    save_figure(FIGURES[study.name](record), folder / "figure.png")
    print(printable(f"saved: {folder / 'record.json'}, {folder / 'figure.png'}"))
    return record, 0
