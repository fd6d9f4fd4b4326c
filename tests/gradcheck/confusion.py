"""Which cause is stated for which planted bug, over random models: the measure of the diagnosis.

    python -m tests.gradcheck.confusion --count 200

Rows of the table are what was planted (several bugs may plant one cause), columns what the check
said. Right gradients and bugs that are on no list are planted as well.
"""

import argparse
import multiprocessing
from collections import Counter, defaultdict
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

import numpy as np

from tests.gradcheck.cases import noisy
from tests.gradcheck.slips import BUGS
from tests.planted import MODEL_BUGS, PAGE, TANH, planted
from tinytie import RNNLM, check_model
from tinytie.gradcheck import CAUSES
from tinytie.models.masks import Dropout

RIGHT, UNLISTED = "(right gradient)", "(bug on no list)"
SIZES = (1.0, 0.3, 0.1, 0.03, 0.01)  # standard deviation of every parameter and state


class Said(NamedTuple):
    """What the check answered: a verdict, and a cause, or why there is none."""

    verdict: str
    cause: str | None
    why: str  # there is no cause: "several" fit, too "small" to tell, "none" fits


def random_case(rng, needs):
    """(model, x, y, state) of random options and sizes, but for those that the bug needs."""
    D, H = rng.choice([3, 4, 5, 6], 2, replace=False)
    cell = needs.get("cell") or str(rng.choice(["rnn", "gru", "lstm"]))
    options = {
        "n_layers": int(rng.integers(1, 3)),
        "activation": str(rng.choice(["tanh", "relu"])),
        "output_bias": bool(rng.random() < 0.7),
        "embed_scale": float(rng.choice([1.0, 1.7, np.sqrt(D)])),
        "dropout": Dropout(0.2, 0.2, 0.2, 0.2, True) if rng.random() < 0.2 else 0.0,
        "padding_id": 0 if rng.random() < 0.2 else None,
        "projection": None if rng.random() < 0.5 else True,
    } | needs
    options["d_hidden"] = int(needs.get("d_hidden", H))
    D = 4 if "d_hidden" in needs else D
    V, B, T = int(rng.integers(7, 12)), int(rng.integers(2, 4)), int(rng.integers(3, 6))
    make = options.pop("make", RNNLM)
    model = make(V, int(D), rng=0, **options | {"cell": cell})
    size = float(rng.choice(SIZES))
    for array in model.params.values():
        array[...] = size * rng.standard_normal(array.shape)
    x, y = rng.integers(V, size=(2, B, T))
    x[1, 0] = x[0, -1] = x[0, 0]
    y[:, 0] = 1 + y[:, 0] % (V - 1)  # at least these count
    return model, x, y, noisy(model.initial_state(B), rng, size)


def say(bug, case, seed):
    """What the check says with the bug in place."""
    with planted(bug) if bug and bug.place else nullcontext():
        report = check_model(*case, rng=seed)
    words = {"cannot be told apart": "several", "too small": "small", "too few": "small",
             "kink": "small"}  # fmt: skip
    why = next((short for said, short in words.items() if said in report.explanation), "none")
    return Said(report.verdict, report.cause, why)


def needs_of(bug):
    """Options of the model without which the bug does not act."""
    if bug is None:
        return {}
    needs = {"activation": "tanh"} | bug.options  # relu may hide a bug in the slope
    if bug.cause == "paths overwritten":
        needs["dropout"] = 0.0  # a mask can drop all of a row, and with it the bug
    if bug.place == TANH or "d_hidden" in needs:
        needs["cell"] = "rnn"
    if bug.place == PAGE and bug.fails == "E":
        needs["tied"] = True
    if bug.name == "output bias missing":
        needs["output_bias"] = True
    return needs


def bugs_by_cause():
    """cause -> the bugs that plant it."""
    found = defaultdict(list)
    for bug in [*MODEL_BUGS, *BUGS]:
        found[bug.cause or UNLISTED].append(bug)
    return {cause: found[cause] for cause in [*CAUSES, UNLISTED] if cause in found}


def confusion(count, seed=0, jobs=1):
    """planted cause -> Counter of `Said`, over `count` random models each."""
    causes = [RIGHT, *bugs_by_cause()]
    if jobs == 1:
        return {cause: answers_to(cause, count, seed) for cause in causes}
    with multiprocessing.Pool(jobs) as pool:
        answers = pool.map(partial(answers_to, count=count, seed=seed), causes, chunksize=1)
    return dict(zip(causes, answers, strict=True))


def answers_to(cause, count, seed):
    """One row: what is said to each of `count` random models."""
    rows = {RIGHT: [None], **bugs_by_cause()}
    bugs, number = rows[cause], list(rows).index(cause)
    answers = Counter()
    for i in range(count):
        bug, rng = bugs[i % len(bugs)], np.random.default_rng([seed, number, i])
        answers[say(bug, random_case(rng, needs_of(bug)), i)] += 1
    return answers


def wrong_answers(table):
    """What must never happen: a right gradient failed, a bug passed, a wrong cause named."""
    found = []
    for cause, answers in table.items():
        for said, times in answers.items():
            right = cause == RIGHT
            wrong_verdict = said.verdict == ("FAIL" if right else "PASS")
            if wrong_verdict or said.cause not in (None, cause):
                found.append((cause, said, times))
    return found


def markdown(table, count, seed):
    """The table, and how it was made."""
    lines = [
        "## What the diagnosis says",
        "",
        f"Made by `python -m tests.gradcheck.confusion --count {count} --seed {seed}`: for each "
        f"row {count} random",
        "models (cells, layers, tied and untied, projection, scale, bias, dropout, padding, sizes; "
        "weights of size",
        f"{', '.join(map(str, SIZES))}), with the bugs of `tests/planted.py` that plant this "
        "cause in turn.",
        "",
        "| planted | bugs | this cause | another cause | several fit | too small | none fits "
        "| UNCHECKED | PASS | named where told apart |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    bugs = {RIGHT: []} | bugs_by_cause()
    lines += [line_of(cause, len(bugs[cause]), answers) for cause, answers in table.items()]
    lines += [
        "",
        "*Several fit*: two causes on the list make the same gradient here (an embedding scale of "
        "2 applied twice",
        "is an input path added twice; with two steps a cut is a dropped future), and the check "
        "names neither.",
        "*Too small*: what is wrong is not far enough above rounding, in too few entries or beside "
        "a kink, and",
        "the check says so.",
        "*None fits*: it says that nothing on its list explains the whole of what is wrong. "
        "*UNCHECKED*: no row fails",
        "and one is vacuous or on a kink. The last column leaves out the cases in which several "
        "fit or all is too small.",
    ]
    return "\n".join(lines)


def line_of(cause, bugs, answers):
    """One row of the table."""
    cells = dict.fromkeys(("this", "other", "several", "small", "none", "UNCHECKED", "PASS"), 0)
    for said, times in answers.items():
        cells[column(cause, said)] += times
    told = cells["this"] + cells["other"] + cells["none"]
    share = f"{100 * cells['this'] / told:.1f} %" if cause in CAUSES and told else ""
    return f"| {cause} | {bugs} | {' | '.join(map(str, cells.values()))} | {share} |"


def column(cause, said):
    if said.verdict != "FAIL":
        return said.verdict
    if said.cause is not None:
        return "this" if said.cause == cause else "other"
    return said.why


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    table = confusion(args.count, args.seed, args.jobs)
    print(markdown(table, args.count, args.seed))
    for wrong in wrong_answers(table):
        print("WRONG", wrong)


if __name__ == "__main__":
    main()
