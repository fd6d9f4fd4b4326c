"""Lesson 09: which line of the backward is broken, and the smallest sentence that shows it."""

from collections.abc import Callable
from functools import partial
from itertools import combinations

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.ops.cells import CELLS, State
from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.linear import as_rows, linear_backward
from tinytie.ops.recurrence import recurrence_backward, recurrence_forward
from tinytie.ops.softmax import softmax_loss_backward, softmax_loss_forward

LINES = {
    "scores": ("E_out", "c"),
    "projection": ("P", "p"),
    "recurrence": ("W", "U", "b"),
    "lookup": ("E_in",),
}


def consequences():
    """failed -> the lines of which one mistake can make exactly that, for every single mistake."""
    found: dict[frozenset, set] = {frozenset(): set()}
    names = list(LINES)
    for i, line in enumerate(names):
        below = [name for other in names[i + 1 :] for name in LINES[other]]
        for handed in ([], below):
            for n in range(len(LINES[line]) + 1):
                for own in combinations(LINES[line], n):
                    failed = frozenset([*own, *handed])
                    if failed:
                        found.setdefault(failed, set()).add(line)
    return found


def suspects_law(answer):
    """The suspects are the lines of which a single mistake explains what failed, and no others."""
    cases = sorted(consequences().items(), key=lambda case: (-len(case[0]), sorted(case[0])))
    for failed, lines in cases:
        said = answer(failed=set(failed))
        if not isinstance(said, set | frozenset) or not said <= LINES.keys():
            raise Wrong(f'it must return a set of the names {", ".join(LINES)}, as {{"lookup"}}')
        where = f"where {', '.join(sorted(failed)) or 'nothing'} failed"
        for line in LINES:  # from the loss down
            if line in said - lines:
                raise Wrong(
                    f"{where}, the {line} cannot be the broken line: {innocent(line, failed)}"
                )
            if line in lines - said:
                raise Wrong(f"{where}, the {line} may be broken too: {guilty(line, failed)}")


def innocent(line, failed):
    """Why a line is no suspect."""
    if not failed:
        return "every gradient is right"
    before = list(LINES)[: list(LINES).index(line)]
    if any(failed & set(LINES[other]) for other in before):
        return "something nearer to the loss failed already"
    return "what it hands down would spoil all that lies below, and some of that is right"


def guilty(line, failed):
    """Why a line is a suspect."""
    if failed & set(LINES[line]):
        return "its own parameters failed, and nothing nearer to the loss did"
    return "its own gradients are right, but what it hands down may be wrong"


V, D = 7, 3
LONG = [4, 2, 6, 2, 0, 5, 2, 1, 3, 4, 1, 6]


BACKWARD = partial(recurrence_backward, CELLS["rnn"])


def path(sentence, lookup=embedding_backward, steps=BACKWARD):
    """dE_in and dU of a small model on one sentence, whose last word is only a target."""
    ids = np.array([sentence])
    rng = np.random.default_rng(0)
    E, W, U = (rng.standard_normal(shape) for shape in ((V, D), (D, D), (D, D)))
    e, looked = embedding_forward(ids[:, :-1], E)
    (h, _), stepped = recurrence_forward(CELLS["rnn"], e, State(np.ones((1, D))), W, U, np.zeros(D))
    _, scored = softmax_loss_forward(h, E, None, ids[:, 1:])
    dh, *_ = softmax_loss_backward(1.0, scored)
    de, _, _, dU, _ = steps((dh, None), stepped)
    return np.vstack([lookup(de, looked), dU])


def lost_repeats(de, looked):
    """`dE[x] += de`: seen where a word is looked up twice."""
    dE = np.zeros((V, D))
    dE[looked.x] += de
    return dE


def no_future(d_out, cache):
    """dh_next forgotten: seen with two steps or more."""
    (dh, _), (projected, h_prev, kept, *_) = d_out, cache
    h = np.stack([step.h for step in kept], axis=1)
    da = (1 - h * h) * dh
    de, dW, db = linear_backward(da, projected)
    return de, None, dW, as_rows(da).T @ as_rows(h_prev), db


def rejected(sentence, **broken):
    """Whether the broken backward differs from the right one; too short a sentence passes."""
    if len(sentence) < 2:
        return False
    return not np.allclose(path(sentence), path(sentence, **broken), rtol=1e-6, atol=1e-9)


def third_time(sentence):
    """A counter that runs over: seen where a word stands three times, or two words twice each."""
    counts = np.bincount(sentence, minlength=V)
    return bool(counts.max() >= 3 or (counts >= 2).sum() >= 2)


BUGS: dict[str, Callable] = {
    "`dE[x] += de`": partial(rejected, lookup=lost_repeats),
    "dh_next forgotten": partial(rejected, steps=no_future),
    "a bug that needs several repeats": third_time,
}


def smallest_law(answer):
    """The part fails, keeps the order of the words, and no word can go."""
    whole = answer.rng.permutation(V)[LONG].tolist()
    for bug, fails in BUGS.items():
        part = answer(fails=fails, sentence=whole)
        if part is None:
            raise Wrong("it returns None: is a return missing?")
        part = [int(word) for word in part]
        if not is_part(part, whole):
            raise Wrong(f"{part} is no part of {whole}: words are taken away, none added or moved")
        if not fails(part):
            raise Wrong(f"{bug}: {part} passes, so the bug cannot be seen in it any more")
        for i, word in enumerate(part):
            if fails(part[:i] + part[i + 1 :]):
                raise Wrong(f"{bug}: {part} still fails without its word {i} (id {word}); go on")


def is_part(part, whole):
    """Whether the words of `part` stand in `whole` in this order."""
    rest = iter(whole)
    return all(word in rest for word in part)


EXERCISES = [Exercise("suspects", suspects_law), Exercise("smallest_failure", smallest_law)]
