"""Lesson 09: which line of the backward is broken, and the smallest sentence that shows it."""

from collections.abc import Callable
from functools import partial
from itertools import combinations

import numpy as np

from tinytie.course.answers import Exercise, Wrong, numbers_of
from tinytie.course.evidence import law_of_gradient, law_of_value
from tinytie.gradcheck.numeric import numeric_gradient
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


SIZES = {"V": 7, "D": 3, "H": 5}
NAMES = {"E": "VD", "W": "HD", "U": "HH", "b": "H", "P": "DH", "p": "D", "c": "V"}


def model_law(answer):
    """The loss, seven gradients that are its derivatives, and the state after the last word."""
    rng = answer.rng
    params = {
        name: rng.standard_normal([SIZES[letter] for letter in letters]) / 2
        for name, letters in NAMES.items()
    }
    ids = rng.permutation(SIZES["V"])
    x, y = ids[[[0, 3, 0, 2], [5, 0, 1, 3]]], ids[[[3, 0, 2, 0], [0, 1, 6, 4]]]  # (B, T) = (2, 4)
    h0 = rng.standard_normal((2, SIZES["H"]))
    got = answer(params=params, x=x, y=y, h0=h0)
    if not isinstance(got, tuple | list) or len(got) != 3:
        raise Wrong("it must return three things: the loss, the gradients and the last state")
    loss, grads, last = got
    right, h = whole_loss(params, x, y, h0)
    judge_loss(numbers_of(loss, ()), right, x.size)
    mistakes = {
        "this is the first state; return the one after the last word": h[:, 0],
        "this is h0, where it began": h0,
        "this is the state before the last word": h[:, -2],
    }
    law_of_value(numbers_of(last, (2, SIZES["H"])), h[:, -1], mistakes, "the last state")
    if not isinstance(grads, dict):
        raise Wrong("the second result must be a dict: the name of a parameter -> its gradient")
    if set(grads) != set(NAMES):
        odd = sorted(set(NAMES) ^ set(map(str, grads)))
        raise Wrong(f"grads must have the names {', '.join(NAMES)}; look at {', '.join(odd)}")
    judge_grads(grads, params, x, y, h0)


def judge_loss(loss, right, places):
    mistakes = {
        "this is the sum over the places; the loss is their mean": np.array(right * places),
        "this is the perplexity; return the loss": np.exp(right),
        "the sign is wrong": np.array(-right),
    }
    law_of_value(loss, np.array(right), mistakes, "the loss")


def whole_loss(params, x, y, h0, E_out=None):
    """(loss, states), written again, so that it leans on nobody's function."""
    E, W, U, b, P, p, c = params.values()
    h, states = h0, []
    for t in range(x.shape[1]):
        h = np.tanh(E[x[:, t]] @ W.T + h @ U.T + b)
        states.append(h)
    all_h = np.stack(states, axis=1)
    s = (all_h @ P.T + p) @ (E if E_out is None else E_out).T + c
    chosen = np.take_along_axis(s, y[..., np.newaxis], axis=-1)[..., 0]
    return float(np.mean(np.log(np.exp(s).sum(axis=-1)) - chosen)), all_h


def judge_grads(grads, params, x, y, h0):
    """From the loss down: the first wrong one shows the line."""

    def loss():
        return whole_loss(params, x, y, h0)[0]

    def paths():
        E_in, E_out = params["E"].copy(), params["E"].copy()
        both = params | {"E": E_in}
        dE_in = numeric_gradient(lambda: whole_loss(both, x, y, h0, E_out)[0], E_in)
        dE_out = numeric_gradient(lambda: whole_loss(both, x, y, h0, E_out)[0], E_out)
        return {
            "the lookup's path is missing: dE = dE_in + dE_out": dE_out,
            "the scores' path is missing: dE = dE_in + dE_out": dE_in,
            "this is the mean of the two paths; by the chain rule they add": (dE_in + dE_out) / 2,
            "the two paths are subtracted; by the chain rule they add": dE_out - dE_in,
            "the lookup's rows replace those of the scores: add them": np.where(
                np.isin(np.arange(len(E_in)), x)[:, np.newaxis], dE_in, dE_out
            ),
        }

    for name in ("c", "p", "P", "b", "U", "W", "E"):
        got = numbers_of(grads[name], params[name].shape)
        some = paths if name == "E" else dict
        law_of_gradient(got, loss, params[name], some, name=f"d{name}")


EXERCISES = [
    Exercise("suspects", suspects_law),
    Exercise("smallest_failure", smallest_law),
    Exercise("loss_and_grads", model_law, package=True),
]
