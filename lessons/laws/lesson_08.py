"""Lesson 08: backpropagation through time, whole and cut into chunks."""

from functools import partial

import numpy as np

from tinytie.course.answers import Exercise, Wrong
from tinytie.course.evidence import equal, law_of_gradient, law_of_value
from tinytie.course.shelf import laws_of
from tinytie.gradcheck.numeric import numeric_gradient

judge_step = laws_of("07").judge_step
B, T, D, H = 3, 6, 4, 5


def case(rng, T=T):
    """Numbers for a sequence, with B, T, D and H all different, and the states h (B, T, H)."""
    shapes = {"e": (B, T, D), "h0": (B, H), "W": (H, D), "U": (H, H), "b": (H,)}
    arrays = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    return arrays, states(arrays), rng.standard_normal((B, T, H))


def states(arrays, held=None, starts=()):
    """h (B, T, H). The state that enters the steps `starts` is the one in `held`, a constant."""
    e, h0, W, U, b = arrays.values()
    h, last = [], h0
    for t in range(e.shape[1]):
        if t in starts:
            last = held[:, t - 1]
        last = np.tanh(e[:, t] @ W.T + last @ U.T + b)
        h.append(last)
    return np.stack(h, axis=1)


def chunks(every):
    """The steps at which a new chunk begins."""
    return set(range(every, T, every))


def loss_of(arrays, dh, held=None, starts=()):
    """A loss whose own gradient with respect to each h_t is dh_t."""
    return float(np.sum(dh * states(arrays, held, starts)))


def whole_law(answer):
    """Each result is the derivative of the loss of the whole sequence."""
    arrays, h, dh = case(answer.rng, T=1)
    got = ask(answer, arrays, h, dh)
    one = {"e": arrays["e"][:, 0], "h_prev": arrays["h0"]}
    one |= {name: arrays[name] for name in "WUb"}
    flat = {"de": got["de"][:, 0], "dh_prev": got["dh0"]} | {k: got[k] for k in ("dW", "dU", "db")}
    try:
        judge_step(flat, one, h[:, 0], dh[:, 0], "already with one step, ", "h0")
    except Wrong as wrong:
        if "it meets the new h" not in str(wrong):
            raise
        raise Wrong(f"{wrong}; at t = 0 h[:, t − 1] is h[:, −1], the last: take h0 there") from None
    arrays, h, dh = case(answer.rng)
    got = ask(answer, arrays, h, dh)
    judge(got, arrays, partial(loss_of, arrays, dh), partial(whole_mistakes, arrays, h, dh))


def ask(answer, arrays, h, dh, **options):
    shapes = {f"d{name}": array.shape for name, array in arrays.items()}
    e, h0, W, U, _ = arrays.values()
    return answer.arrays(shapes, dh=dh, e=e, h0=h0, h=h, W=W, U=U, **options)


def judge(got, arrays, loss, mistakes):
    for name in ("b", "e", "W", "U", "h0"):
        result = f"d{name}"
        law_of_gradient(got[result], loss, arrays[name], partial(mistakes, name), name=result)


def whole_mistakes(arrays, h, dh, name):
    """For the gradient of this argument, sentence -> what the mistake would give."""

    def derivative(loss):
        return numeric_gradient(loss, arrays[name])

    def last_step():
        only = np.zeros_like(dh)
        only[:, -1] = dh[:, -1]
        return derivative(partial(loss_of, arrays, only, h, chunks(1)))

    def once():  # the state is handed on, but only to the neighbor
        return derivative(partial(loss_of, arrays, dh, h, chunks(1)))

    def first_step():
        if name != "e":
            return at_first_step(name, arrays, h, dh)
        de = derivative(partial(loss_of, arrays, dh))
        return np.where(np.arange(T)[:, None] == 0, de, 0)

    def first_step_lost():
        return derivative(partial(loss_of, arrays, dh)) - first_step()

    def mean():
        return derivative(partial(loss_of, arrays, dh)) / T

    by_hand = {
        "the loop runs forward: begin at the last step, for dh_next comes from step t + 1": (
            walked(arrays, h, dh, forward=True)
        ),
        "dh_next piles up: each step hands on its own da U and nothing else": walked(
            arrays, h, dh, piled=True
        ),
        "at t = 0 the state before is h0; h[:, t − 1] is h[:, −1] there, the last one": walked(
            arrays, h, dh, wrap=True
        ),
        "U is transposed in dh_next: forward h Uᵀ, so backward da U": walked(
            arrays, h, dh, back=arrays["U"].T
        ),
        "the slope of tanh, 1 − h², is missing from what goes back": walked(
            arrays, h, dh, slope=False
        ),
        "dU meets the new state; in the forward U met the one before": walked(
            arrays, h, dh, meets=h
        ),
        "dh_next is multiplied by the slope of the step it came from only; the sum dh_t + dh_next "
        "goes through the slope of step t": walked(arrays, h, dh, late=True),
    }
    return {said: grads[name] for said, grads in by_hand.items()} | {
        "dh_next is dropped: what comes back from step t + 1 must be added to dh_t": once(),
        "only the last step is there": last_step(),
        "the first step is missing": first_step_lost(),
        "only the first step is there: does each step write over the one before it? Add with +=": (
            first_step()
        ),
        "this is the mean over the steps; every step that used it adds": mean(),
    }


def walked(
    arrays, h, dh, forward=False, piled=False, wrap=False, back=None, slope=True, meets=None,
    late=False,
):  # fmt: skip
    """The gradients as a loop with one mistake finds them: name -> array."""
    e, h0, W, U, _ = arrays.values()
    found = {name: np.zeros_like(array) for name, array in arrays.items()}
    dh_next, back = np.zeros_like(h0), U if back is None else back
    for t in range(T) if forward else reversed(range(T)):
        before = h[:, t - 1] if t or wrap else h0
        factor = 1 - h[:, t] ** 2 if slope else 1.0
        da = factor * dh[:, t] + dh_next if late else factor * (dh[:, t] + dh_next)
        found["e"][:, t] = da @ W
        found["W"] += da.T @ e[:, t]
        found["U"] += da.T @ (before if meets is None else meets[:, t])
        found["b"] += da.sum(axis=0)
        dh_next = dh_next * piled + da @ back
    return found | {"h0": dh_next}


def at_first_step(name, arrays, h, dh):
    """What the first step alone contributes to the gradient of a shared array."""
    own = dict(arrays)
    own[name] = arrays[name].copy()

    def loss():  # only step 1 sees the array that moves
        first = states({**own, "e": own["e"][:, :1]})[:, 0]
        rest = {**arrays, "e": arrays["e"][:, 1:], "h0": first}
        return float(np.sum(dh[:, 0] * first) + loss_of(rest, dh[:, 1:]))

    return numeric_gradient(loss, own[name])


def cut_law(answer):
    """The derivative of the loss in which the state that enters a chunk is a constant."""
    for every in (2, 3, 4, T):  # with 4 the last chunk is shorter
        arrays, h, dh = case(answer.rng)
        got = ask(answer, arrays, h, dh, every=every)
        loss = partial(loss_of, arrays, dh, h, chunks(every))
        try:
            judge(got, arrays, loss, cut_mistakes)
        except Wrong:
            explain_cut(got, arrays, h, dh, every)
            raise


def cut_mistakes(name):
    """No gradient back to h0 is the one mistake that shows in no other array."""
    said = "nothing reaches h0: step 0 begins a chunk, but what it hands back is for h0"
    return {said: np.zeros((B, H))} if name == "h0" else {}


def explain_cut(got, arrays, h, dh, every):
    """Where the answer is right for other chunks than those that were asked for."""
    steps = set(range(1, T))
    cuts = {
        "cut one step too late": {t + 1 for t in {0, *chunks(every)}} & steps,
        "cut one step too early": {t - 1 for t in {T, *chunks(every)}} & steps,
        "cut in chunks that are counted from the end": {T - t for t in chunks(every)},
        "never cut": set(),
    }
    cuts |= {f"cut every {other} steps": chunks(other) for other in range(1, T)}
    for said, starts in cuts.items():
        loss = partial(loss_of, arrays, dh, h, starts)
        fits = (equal(got[f"d{n}"], numeric_gradient(loss, arrays[n])) for n in "bWU")
        if starts != chunks(every) and all(fits):
            raise Wrong(f"with every = {every} the gradient is {said}: where does a chunk begin?")


def forward_law(answer):
    """h_t = tanh(W e_t + U h_{t−1} + b), from h0 on."""
    arrays, h, _ = case(answer.rng)
    e, h0, _, U, b = arrays.values()
    zero = arrays | {"h0": np.zeros_like(h0)}
    alone = np.stack([states(arrays | {"e": e[:, t : t + 1]})[:, 0] for t in range(T)], axis=1)
    reversed_e = arrays | {"e": e[:, ::-1]}
    shifted = np.concatenate([h0[:, np.newaxis], h[:, :-1]], axis=1)
    mistakes = {
        "h0 is not used: the first step must start from it": states(zero),
        "every step starts from h0: hand the state on": alone,
        "the loop runs backward: the first word comes first": states(reversed_e)[:, ::-1],
        "the states stand in reverse order": h[:, ::-1],
        "every step holds the last state": np.repeat(h[:, -1:], T, axis=1),
        "it holds the state before each step; h[:, t] is the one after word t": shifted,
        "U is transposed: for rows, U h is h @ U.T": states(arrays | {"U": U.T}),
        "the bias b is missing": states(arrays | {"b": 0 * b}),
    }
    law_of_value(answer.array((B, T, H), **arrays), h, mistakes)


EXERCISES = [
    Exercise("backward_through_time", whole_law),
    Exercise("truncated_backward", cut_law),
    Exercise("forward_through_time", forward_law),
]
