"""Lesson 11: both paths row by row, and training in which they count unequally."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Maker, Wrong
from tinytie.models.rnn_lm import RNNLM

V, D = 9, 4


def rows_law(answer):
    """Pythagoras for the lengths; a row that is zero has no direction."""
    rng = answer.rng
    dE_in, dE_out = rng.standard_normal((V, D)), 3 * rng.standard_normal((V, D))
    full = ask(answer, dE_in, dE_out)
    judge_rows(full, dE_in, dE_out, "")
    dE_in[[2, 5]] = 0  # two words that were not looked up
    if any(np.isnan(np.asarray(part, float)).any() for part in parts_of(answer, dE_in, dE_out)):
        raise Wrong(
            "a row of zeros has no direction: its cosine is asked to be 0, and you give NaN"
        )
    judge_rows(ask(answer, dE_in, dE_out), dE_in, dE_out, "where two words were not looked up, ")


def parts_of(answer, dE_in, dE_out):
    """The raw parts of an answer that has three of the right length, else nothing."""
    result = answer(dE_in=dE_in, dE_out=dE_out)
    return result if isinstance(result, tuple | list) and len(result) == 3 else []


def ask(answer, dE_in, dE_out):
    shapes = dict.fromkeys(("norm_in", "norm_out", "cosine"), (V,))
    return answer.arrays(shapes, dE_in=dE_in, dE_out=dE_out)


def judge_rows(got, dE_in, dE_out, where):
    norm_in, norm_out = np.sqrt((dE_in**2).sum(axis=1)), np.sqrt((dE_out**2).sum(axis=1))
    dots = (dE_in * dE_out).sum(axis=1)
    scale = np.where(norm_in * norm_out > 0, norm_in * norm_out, 1)
    right = {"norm_in": norm_in, "norm_out": norm_out, "cosine": dots / scale}
    mistakes = {
        "this is the dot product; divide by both lengths": dots,
        "this is the sum of squares; a length is its root": norm_in**2,
        "this is a mean over the row; a length sums the squares": norm_in / np.sqrt(D),
        "the two paths have changed places": norm_out,
        "this is the largest entry of the row": np.abs(dE_in).max(axis=1),
    }
    for name, values in right.items():
        if np.allclose(got[name], values):
            continue
        for sentence, wrong in mistakes.items():
            if np.allclose(got[name], wrong):
                raise Wrong(f"{name}: {sentence}")
        i = int(np.abs(got[name] - values).argmax())
        raise Wrong(
            f"{name}: {where}row {i} should be {values[i]:.6g}, yours is {got[name][i]:.6g}"
        )


def maker(rng):
    """Makes the same tied model each time, with weights large enough for the paths to differ."""
    options = {"vocab_size": V, "d_embed": D, "tied": True}
    params = RNNLM(**options, rng=rng).params
    return Maker("RNNLM", options, params | {"E": 4 * params["E"]})


SCALES = ((1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (2.0, 0.5))
RATE, STEPS = 0.5, 6


def train(make_model, x, y, scale_in, scale_out, rest=None, carry=True):
    """The losses; rest: a factor for every other gradient; without `carry` from a zero state."""
    model, state, losses = make_model(), None, []
    for inputs, targets in zip(x, y, strict=True):
        loss, grads, last, paths, _ = model.loss_and_grads(inputs, targets, state)
        state = last if carry else None
        for name, gradient in grads.items():
            if name != "E":
                model.params[name] -= RATE * gradient * (1 if rest is None else rest)
        model.params["E"] -= RATE * (scale_in * paths.input + scale_out * paths.output)
        losses.append(loss)
    return np.array(losses)


def training_law(answer):
    """The losses of the loop, step by step, at four pairs of scales."""
    rng = answer.rng
    text = rng.integers(V, size=(3, 5 * STEPS + 1))
    x, y = (part.reshape(3, STEPS, 5).swapaxes(0, 1) for part in (text[:, :-1], text[:, 1:]))
    make_model = maker(rng)
    for scale_in, scale_out in SCALES:
        given = {"rate": RATE, "scale_in": scale_in, "scale_out": scale_out}
        got = answer.array((STEPS,), make_model=make_model, x=x, y=y, **given)
        run = partial(train, make_model, x, y)
        right = run(scale_in, scale_out)
        if not np.allclose(got, right, rtol=1e-8):
            explain(got, right, run, scale_in, scale_out)


def explain(got, right, run, scale_in, scale_out):
    """Raise Wrong with the mistake that makes these losses, or with the first that is off."""
    mistakes = {
        "each batch starts from a zero state; carry the state of the one before": (
            run(scale_in, scale_out, carry=False)
        ),
        "the two scales have changed places": run(scale_out, scale_in),
        "E is the only parameter that moves; the others take their step too": (
            run(scale_in, scale_out, rest=0)
        ),
        "the scales are not used: this is plain training": run(1, 1),
        "E is stepped twice: once by its gradient, once by the scaled paths": (
            run(scale_in + 1, scale_out + 1)
        ),
        "every gradient is scaled; the scales are for the two paths of E": (
            run(scale_in, scale_in, rest=scale_in)
        ),
        "nothing moves: every step has the parameters of the start": run(0, 0, rest=0),
        "the steps go up the gradient, not down": run(-scale_in, -scale_out, rest=-1),
    }
    where = f"scale_in {scale_in:g}, scale_out {scale_out:g}"
    for sentence, wrong in mistakes.items():
        if np.allclose(got, wrong, rtol=1e-8):
            raise Wrong(f"{where}: {sentence}")
    if np.allclose(got[:-1], right[1:], rtol=1e-8):
        raise Wrong(f"{where}: each loss should be the one before its step")
    i = int(np.argmax(~np.isclose(got, right, rtol=1e-8)))
    raise Wrong(f"{where}: loss {i} (from 0) should be {right[i]:.6f}, yours is {got[i]:.6f}")


EXERCISES = [Exercise("row_facts", rows_law), Exercise("train_scaled", training_law, package=True)]
