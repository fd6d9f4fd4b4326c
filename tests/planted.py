"""Wrong backwards, by name: each is the right one but for one mistake, as somebody would make it.

The gradient check must reject every one of them and name the parameters; it may name a cause only
where the bug is on the list of causes. A bug is a function from the right function to a wrong one,
and the place where the package looks the right one up.
"""

from collections.abc import Callable
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, NamedTuple

import numpy as np

from tinytie.models import language_model, recurrent_body
from tinytie.ops import cells
from tinytie.ops.embedding import Rows
from tinytie.ops.linear import as_rows, linear_backward
from tinytie.ops.recurrence import masked, plus_h


class Planted(NamedTuple):
    """A bug: what `spoil` makes of the function at `place`; what it breaks, what is to be said."""

    name: str
    place: tuple[Any, str]  # a module or a class, and the name there; or CELLS and a cell's name
    spoil: Callable[[Callable], Callable]
    fails: str  # the parameters that the check must name, and no other
    cause: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # of the model in which it shows


@contextmanager
def planted(bug):
    """The bug in place of the right function."""
    holder, name = bug.place
    if holder is cells.CELLS:
        right, put = holder[name], holder.__setitem__
        wrong = right._replace(backward=bug.spoil(right.backward))
    else:
        right, put = getattr(holder, name), partial(setattr, holder)
        wrong = bug.spoil(right)
    put(name, wrong)
    try:
        yield
    finally:
        put(name, right)


# -- the sum of both paths ---------------------------------------------------------------------

PAGE = language_model.LanguageModel, "loss_and_grads"


def summed(f):
    """The page with another sum: f(dE_in, dE_out) where a tied E belongs."""

    def spoil(right):
        @wraps(right)
        def wrong(self, *args, **options):
            result = right(self, *args, **options | {"paths": True})
            if self.tied:
                result.grads["E"] = f(*result.embedding_paths)
            return result

        return wrong

    return spoil


def one_overwrites(dE_in, dE_out):
    return np.where(dE_in.any(axis=1, keepdims=True), dE_in, dE_out)


def called_with(change):
    """The page, given other arguments: change(x, y, state)."""

    def spoil(right):
        @wraps(right)
        def wrong(self, x, y, state=None, **options):
            found = right(self, *change(x, y, state), **options)
            return found._replace(loss=right(self, x, y, state, **options).loss)

        return wrong

    return spoil


# -- the lookup --------------------------------------------------------------------------------

LOOKUP = language_model, "embedding_rows_backward"


def scattered(put):
    """The lookup's gradient as a whole matrix that put(dE, de, cache) fills in."""

    def spoil(right):
        def wrong(de, cache):
            dE = np.zeros((cache.vocab_size, de.shape[-1]), de.dtype)
            put(dE, de, cache)
            return Rows(np.arange(len(dE)), dE, len(dE))

        return wrong

    return spoil


def add_with_repeats(dE, de, cache):
    dE[cache.x] += cache.scale * de


def assign(dE, de, cache):
    dE[cache.x] = cache.scale * de


def shift_rows(dE, de, cache):
    np.add.at(dE, (cache.x + 1) % len(dE), cache.scale * de)


def forget_scale(dE, de, cache):
    np.add.at(dE, cache.x, de)


def read_the_step_after(dE, de, cache):
    np.add.at(dE, np.roll(cache.x, -1, axis=1), cache.scale * de)


# -- the head ----------------------------------------------------------------------------------

HEAD = language_model, "head_backward"


def scores_gradient(change):
    """The head's backward with change(ds, cache) in place of the scores' gradient ds (N, V)."""

    def spoil(right):
        return lambda dloss, cache: right(dloss, cache._replace(ds=change(cache.ds, cache)))

    return spoil


def target_plus(ds, cache, steps=0):
    """weight · ŷ with the target's share taken off `steps` words further on; None: nowhere."""
    ds, (rows, y) = ds.copy(), (np.arange(len(ds)), cache.y.ravel())
    ds[rows, y] += cache.weights
    if steps is not None:
        ds[rows, (y + steps) % ds.shape[1]] -= cache.weights
    return ds


def at_step(ds, cache, t):
    """Only the loss of one time step."""
    T = cache.y.shape[1]
    return ds * (np.arange(len(ds)) % T == t % T)[:, None]


def without_bias(right):
    def wrong(dloss, cache):
        dh, dE, dc = right(dloss, cache)
        return dh, dE, None if dc is None else 0 * dc

    return wrong


# -- the recurrence ----------------------------------------------------------------------------

LOOP = recurrent_body, "recurrence_backward"


def loop(carry=None, to_u=None, dU=None, linear=linear_backward, above=None):
    """The loop through time, written again so that each of its lines can be another.

    carry(dstate, t) is what step t hands to the one before; to_u(du, U) goes through the product
    U h_{t−1}; dU(du, fed, h) sums its gradient; above(dh, dstate) joins both gradients of h_t.
    """

    def spoil(right):
        def wrong(cell, d_out, cache):
            dh, dstate = d_out
            projected, fed, kept, U, mask = cache
            if dstate is None:
                dstate = cell.state(*[np.zeros_like(dh[:, 0])] * len(cell.state._fields))
            das, dus = [], []
            for t in reversed(range(dh.shape[1])):
                dstate = plus_h(dstate, dh[:, t]) if above is None else above(dh[:, t], dstate)
                da, du, dstate = cell.backward(dstate, kept[t])
                through = du @ U if to_u is None else to_u(du, U)
                dstate = plus_h(dstate, masked(through, mask, t))
                if carry is not None:
                    dstate = carry(dstate, t)
                das.insert(0, da)
                dus.insert(0, du)
            da, du = np.stack(das, axis=1), np.stack(dus, axis=1)
            de, dW, db = linear(da, projected)
            summed_dU = as_rows(du).T @ as_rows(fed) if dU is None else dU(du, fed)
            return de, dstate, dW, summed_dU, db

        return wrong

    return spoil


def nothing(dstate, t):
    return type(dstate)(*(0 * part for part in dstate))


def cut_at(step):
    return lambda dstate, t: nothing(dstate, t) if t == step else dstate


def without_memory(dstate, t):
    return dstate._replace(c=0 * dstate.c)


def only_above(dh, dstate):
    return dstate._replace(h=dh)


def after(du, fed):
    """The states h_t in place of h_{t−1}; the last one is not fed to anything, so it is lost."""
    return as_rows(du[:, :-1]).T @ as_rows(fed[:, 1:])


def each_gate_transposed(du, fed):
    dU = as_rows(du).T @ as_rows(fed)
    return np.concatenate([gate.T for gate in np.split(dU, len(dU) // fed.shape[-1])])


def summed_dU(factor=1, steps=slice(None)):
    return lambda du, fed: factor * (as_rows(du[:, steps]).T @ as_rows(fed[:, steps]))


def linear_with(dx=None, dW=None, db=None):
    """The linear layer's backward with other lines: dx(dy, W), dW(dy, x), db(dy)."""

    def spoil(right):
        def wrong(dy, cache):
            right_dx, right_dW, right_db = right(dy, cache)
            rows = as_rows(dy)
            return (
                right_dx if dx is None else dx(rows, cache.W).reshape(cache.x.shape),
                right_dW if dW is None else dW(rows, as_rows(cache.x)),
                right_db if db is None or right_db is None else db(rows),
            )

        return wrong

    return spoil


averaged = linear_with(db=lambda dy: dy.mean(axis=0))(linear_backward)
untransposed = linear_with(dx=lambda dy, W: dy @ W.T)(linear_backward)
transposed = linear_with(dW=lambda dy, x: x.T @ dy)(linear_backward)

# -- the cells ---------------------------------------------------------------------------------

TANH, GRU, LSTM = ((cells.CELLS, name) for name in ("rnn", "gru", "lstm"))


def slope(f):
    """The simple cell with f(h) for the slope 1 − h²."""

    def spoil(right):
        def wrong(dstate, kept):
            da = f(kept.h) * dstate.h
            return da, da, cells.State(None)

        return wrong

    return spoil


def lstm_lines(forget=True, tanh_slope=True, order=("i", "f", "g", "o")):
    """The LSTM's backward, line by line."""

    def spoil(right):
        def wrong(dstate, kept):
            (dh, dc), (i, f, g, o, c_prev, tanh_c) = dstate, kept
            dc = dc + dh * o * (1 - tanh_c * tanh_c if tanh_slope else 1)
            das = {
                "i": i * (1 - i) * dc * g, "f": f * (1 - f) * dc * c_prev,
                "g": (1 - g * g) * dc * i, "o": o * (1 - o) * dh * tanh_c,
            }  # fmt: skip
            da = np.concatenate([das[gate] for gate in order], axis=-1)
            return da, da, cells.LSTMState(None, dc * f if forget else dc)

        return wrong

    return spoil


def gru_lines(through_r=True, with_u_n=True, dn=lambda z: 1 - z, dz=lambda h, n: h - n, carry=1):
    """The GRU's backward, line by line."""

    def spoil(right):
        def wrong(dstate, kept):
            (dh,), (r, z, n, u_n, h_prev) = dstate, kept
            da_n = (1 - n * n) * dh * dn(z)
            da_z = z * (1 - z) * dh * dz(h_prev, n)
            da_r = r * (1 - r) * da_n * (u_n if with_u_n else 1)
            da = np.concatenate([da_r, da_z, da_n], axis=-1)
            du = np.concatenate([da_r, da_z, da_n * r if through_r else da_n], axis=-1)
            return da, du, cells.State(carry * z * dh)

        return wrong

    return spoil


# -- dropout -----------------------------------------------------------------------------------

MASK = recurrent_body, "dropout_backward"


def remasked(change):
    """The dropout's backward with another mask."""

    def spoil(right):
        return lambda dy, cache: dy if cache.mask is None else dy * change(cache.mask)

    return spoil


# -- the list ----------------------------------------------------------------------------------

BODY, ALL = "E W0 U0 b0", "E W0 U0 b0 P p c"
PATHS, BOTH_PATHS = f"{BODY} E_in", f"{ALL} E_in E_out"
SQUARE = {"d_hidden": 4, "projection": True}
WITH_LSTM, WITH_GRU, DROPPED = {"cell": "lstm"}, {"cell": "gru"}, {"dropout": 0.5}
FUTURE, CUT, START = "future gradient dropped", "state cut inside", "initial state missing"

EMBEDDING = [
    Planted("input path missing", PAGE, summed(lambda i, o: o), "E", "input path missing"),
    Planted("output path missing", PAGE, summed(lambda i, o: i), "E", "output path missing"),
    Planted("input path twice", PAGE, summed(lambda i, o: 2 * i + o), "E", "input path twice"),
    Planted("output path twice", PAGE, summed(lambda i, o: i + 2 * o), "E", "output path twice"),
    Planted("halved", PAGE, summed(lambda i, o: (i + o) / 2), "E", "constant factor"),
    Planted("doubled", PAGE, summed(lambda i, o: 2 * (i + o)), "E", "constant factor"),
    Planted("sign", PAGE, summed(lambda i, o: -(i + o)), "E", "wrong sign"),
    Planted("one path overwrites the other", PAGE, summed(one_overwrites), "E",
            "paths overwritten"),
    Planted("+= with repeats", LOOKUP, scattered(add_with_repeats), "E E_in",
            "repeated tokens lost"),
    Planted("assignment", LOOKUP, scattered(assign), "E E_in",
            "repeated tokens lost"),
    Planted("row shifted", LOOKUP, scattered(shift_rows), "E E_in", "rows shifted"),
    Planted("scale forgotten", LOOKUP, scattered(forget_scale), "E E_in", "embedding scale",
            {"embed_scale": 1.7}),
]  # fmt: skip

SOFTMAX = [
    Planted("target off by one", HEAD, scores_gradient(lambda *a: target_plus(*a, 1)), BOTH_PATHS),
    Planted("-1 forgotten", HEAD, scores_gradient(lambda *a: target_plus(*a, None)), BOTH_PATHS),
    Planted("sum for mean", HEAD, scores_gradient(lambda ds, k: k.y.size * ds), BOTH_PATHS,
            "constant factor"),
    Planted("mean over B only", HEAD, scores_gradient(lambda ds, k: k.y.shape[1] * ds), BOTH_PATHS,
            "constant factor"),
    Planted("output bias missing", HEAD, without_bias, "c", "all zero"),
]  # fmt: skip

RECURRENT = [
    Planted("1 - h² missing", TANH, slope(np.ones_like), PATHS),
    Planted("1 - h² as 1 - h", TANH, slope(lambda h: 1 - h), PATHS),
    Planted("1 - h² of the slope again", TANH, slope(lambda h: 1 - np.tanh(h) ** 2), PATHS,
            "slope at the wrong point"),
    Planted("dh_next dropped", LOOP, loop(carry=nothing), PATHS, FUTURE),
    Planted("state cut inside", LOOP, loop(carry=cut_at(2)), PATHS, CUT),
    Planted("U not transposed", LOOP, loop(to_u=lambda du, U: du @ U.T), PATHS,
            "matrix not transposed", {"cell": "rnn"}),
    Planted("dU with the wrong h", LOOP, loop(dU=after), "U0"),
    Planted("dU without step 0", LOOP, loop(dU=summed_dU(steps=slice(1, None))), "U0", START),
    Planted("dU of the last step", LOOP, loop(dU=summed_dU(steps=slice(-1, None))), "U0",
            "last step only"),
    Planted("dU of the first step", LOOP, loop(dU=summed_dU(steps=slice(1))), "U0",
            "first step only"),
    Planted("dU transposed", LOOP, loop(dU=each_gate_transposed), "U0", "transposed"),
    Planted("bias averaged", LOOP, loop(linear=averaged), "b0", "constant factor"),
    Planted("W not transposed", LOOP, loop(linear=untransposed), "E E_in", "matrix not transposed",
            SQUARE),
    Planted("dW transposed", LOOP, loop(linear=transposed), "W0", "transposed", SQUARE),
    Planted("projection transposed", (recurrent_body, "linear_backward"),
            linear_with(dW=lambda dy, x: x.T @ dy), "P", "transposed", SQUARE),
]  # fmt: skip

GATED = [
    Planted("lstm: carry of dc", LOOP, loop(carry=without_memory), PATHS, FUTURE, WITH_LSTM),
    Planted("lstm: dh_next dropped", LOOP, loop(above=only_above), PATHS, FUTURE, WITH_LSTM),
    Planted("lstm: forget factor", LSTM, lstm_lines(forget=False), PATHS, None, WITH_LSTM),
    Planted("lstm: tanh(c)", LSTM, lstm_lines(tanh_slope=False), PATHS, None, WITH_LSTM),
    Planted("lstm: gate order", LSTM, lstm_lines(order="igfo"), PATHS, None, WITH_LSTM),
    Planted("gru: reset outside", GRU, gru_lines(through_r=False), PATHS, None, WITH_GRU),
    Planted("gru: reset gate without u_n", GRU, gru_lines(with_u_n=False), PATHS, None, WITH_GRU),
    Planted("gru: 1 - z as z", GRU, gru_lines(dn=lambda z: z), PATHS, None, WITH_GRU),
    Planted("gru: sign of dz", GRU, gru_lines(dz=lambda h, n: n - h), PATHS, None, WITH_GRU),
    Planted("gru: dz without n", GRU, gru_lines(dz=lambda h, n: h), PATHS, None, WITH_GRU),
    Planted("gru: carry of z", GRU, gru_lines(carry=0), PATHS, None, WITH_GRU),
    Planted("gru: dh_next dropped", LOOP, loop(above=only_above), PATHS, FUTURE, WITH_GRU),
]  # fmt: skip

STEP = [
    Planted("gradient at a zero state", PAGE, called_with(lambda x, y, state: (x, y, None)),
            BOTH_PATHS, START),
    Planted("targets of the step before", PAGE,
            called_with(lambda x, y, state: (x, np.roll(y, 1, axis=1), state)),
            f"{BOTH_PATHS}".replace(" p c", ""), "shifted by one step"),
    Planted("tokens of the step after", LOOKUP, scattered(read_the_step_after), "E E_in",
            "shifted by one step"),
    Planted("loss of the last step", HEAD, scores_gradient(lambda *a: at_step(*a, -1)), BOTH_PATHS,
            "last step only"),
    Planted("loss of the first step", HEAD, scores_gradient(lambda *a: at_step(*a, 0)), BOTH_PATHS,
            "first step only"),
    Planted("lstm: dU without step 0", LOOP, loop(dU=summed_dU(steps=slice(1, None))), "U0", START,
            WITH_LSTM),
    Planted("lstm: dU of the last step", LOOP, loop(dU=summed_dU(steps=slice(-1, None))), "U0",
            "last step only", WITH_LSTM),
    Planted("lstm: state cut inside", LOOP, loop(carry=cut_at(2)), PATHS, CUT, WITH_LSTM),
    Planted("gru: state cut inside", LOOP, loop(carry=cut_at(2)), PATHS, CUT, WITH_GRU),
    Planted("gru: dU transposed", LOOP, loop(dU=each_gate_transposed), "U0", "transposed",
            WITH_GRU),
    Planted("dU doubled", LOOP, loop(dU=summed_dU(2)), "U0", "constant factor"),
    Planted("dU never filled in", LOOP, loop(dU=summed_dU(0)), "U0", "all zero"),
    Planted("dU with the wrong sign", LOOP, loop(dU=summed_dU(-1)), "U0", "wrong sign"),
]  # fmt: skip

DROPOUT = [
    Planted("mask drawn again", MASK, remasked(lambda m: m[::-1]), PATHS, None, DROPPED),
    Planted("mask not rescaled", MASK, remasked(lambda m: m > 0), PATHS, None, DROPPED),
    Planted("mask forgotten", MASK, remasked(np.ones_like), PATHS, None, DROPPED),
]

MODEL_BUGS = [*EMBEDDING, *SOFTMAX, *RECURRENT, *GATED, *STEP, *DROPOUT]

# the loop as it should be: what the wrong ones are compared with
RIGHT_LOOP = Planted("no bug", LOOP, loop(), "")


def first_state_lost(right):
    """A recurrence that hands back no gradient of its first state: only its own check sees it."""

    def wrong(d_out, cache):
        de, dstate, *sums = right(d_out, cache)
        return de, type(dstate)(*(0 * part for part in dstate)), *sums

    return wrong
