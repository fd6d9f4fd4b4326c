"""More about what is wrong, beside its cause: which rows and words, which part, which steps."""

from functools import partial

import numpy as np

from tinytie.gradcheck.diagnosis.meaning import token
from tinytie.gradcheck.diagnosis.network import Variant
from tinytie.gradcheck.diagnosis.variants import live_at
from tinytie.gradcheck.ladder import LADDER, extrapolated
from tinytie.gradcheck.report import FAIL

MOST = 4  # tokens that are told in full
LAYER = "WUb"  # the letters of a recurrent layer's parameters


def notes_of(failed, measured, ids, words):
    """Lines for the report."""
    rows = {m.row.name: m.row for m in measured}
    notes = []
    for m in failed:
        if m.row.name in ids and m.numeric is not None and m.numeric.shape == m.analytic.shape:
            notes += wrong_tokens(m, ids[m.row.name], words)
        if m.row.name == "E":
            notes += wrong_part(rows)
    return tuple(notes)


def step_notes(failed, network):
    """Lines on the steps that are counted wrongly, where the network can be taken apart."""
    if network is None or network.state is None:
        return ()
    recurrent = [m for m in failed if is_recurrent(m.row.name)]
    return tuple(line for m in recurrent for line in wrong_steps(network, m))


def is_recurrent(name):
    return name[:1] in LAYER and name[1:].isdigit()


def wrong_tokens(m, ids, words):
    """Which words the wrong rows stand for, and how often these occur."""
    off = np.abs(m.analytic - m.numeric) > 1e-6 * np.abs(m.numeric).max() + m.bound
    rows = np.flatnonzero(off.reshape(len(off), -1).any(axis=1))
    if not len(rows) or len(rows) == len(off):
        return []
    told = "; ".join(token(int(row), ids, words) for row in rows[:MOST])
    more = f"; and {len(rows) - MOST} more" if len(rows) > MOST else ""
    return [f"{m.row.name}: wrong in {len(rows)} of {len(off)} rows: {told}{more}"]


def wrong_part(rows):
    """Whether the wrong part of E is the lookup's or the scores', by the two paths' own rows."""
    if "E_in" not in rows or "E_out" not in rows:
        return []
    wrong = [part for name, part in (("E_in", "lookup"), ("E_out", "scores"))
             if rows[name].verdict == FAIL]  # fmt: skip
    if not wrong:
        return ["E: both paths are right, so that it is how they are put together that is wrong"]
    if len(wrong) == 2:
        return ["E: the parts of the lookup and of the scores are both wrong"]
    return [f"E: the wrong part is the {wrong[0]}'s; the other path is right"]


def wrong_steps(network, m):
    """How often each step is counted, where the gradient is a sum of the steps' right parts."""
    steps = network.x.shape[1]
    if steps < 2 or m.slope is None or m.analytic.shape != network.params[m.row.name].shape:
        return []
    rng = np.random.default_rng(1)
    vs = [v / np.linalg.norm(v) for v in rng.standard_normal((steps + 3, *m.analytic.shape))]
    parts = np.array([[part_of_step(network, m.row.name, t, v) for t in range(steps)] for v in vs])
    given = np.array([np.vdot(m.analytic, v) for v in vs])
    counts, *_ = np.linalg.lstsq(parts, given, rcond=1e-10)
    misfit = np.abs(parts @ counts - given).max()
    if not misfit <= 1e-7 * np.abs(given - parts.sum(axis=1)).max():
        return []
    odd = [
        f"step {t} {round(count, 4) + 0.0:g} times"
        for t, count in enumerate(counts)
        if abs(count - 1) > 1e-4
    ]
    return [f"{m.row.name}: counts {', '.join(odd)}, and the others once"] if odd else []


def part_of_step(network, name, step, v):
    """What one step adds to the right gradient along v."""
    cuts = tuple(range(1, network.x.shape[1]))
    f = network.along(Variant("", cuts=cuts, live=partial(live_at, step)), name, v)
    return extrapolated(f, f(0.0), LADDER[3:7]).value
