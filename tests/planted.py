"""Wrong backwards, by name: each is the right one but for a line, as somebody would get it wrong.

The gradient check must reject every one of them and name the parameters; it may name a cause only
where the bug is on the list of causes.
"""

import inspect
import sys
import textwrap
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any, NamedTuple

from tinytie.models import language_model, recurrent
from tinytie.ops import dropout, embedding, gru, linear, lstm, rnn, softmax


class Planted(NamedTuple):
    """A bug: in `function`, `old` was written as `new`; what it breaks, and what is to be said."""

    name: str
    function: Callable
    old: str
    new: str
    fails: str  # the parameters that the check must name, and no other
    cause: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # of the model in which it shows


@contextmanager
def planted(bug):
    """The bug in place of the right function, wherever the package uses that function."""
    wrong = edited(bug.function, bug.old, bug.new)
    places = [*uses(bug.function)]
    assert places, f"{bug.function.__qualname__} is used nowhere"
    try:
        for put in places:
            put(wrong)
        yield
    finally:
        for put in places:
            put(bug.function)


def edited(function, old, new):
    """The same function with one piece of its source replaced."""
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(old) == 1, f"{function.__qualname__} has {source.count(old)} times {old!r}"
    names = dict(function.__globals__)
    exec(source.replace(old, new), names)
    return names[function.__name__]


def uses(function):
    """A setter for each place that holds the function: modules, their classes, the cells."""
    for module in [m for name, m in sys.modules.items() if name.partition(".")[0] == "tinytie"]:
        for holder in [module, *filter(inspect.isclass, vars(module).values())]:
            if vars(holder).get(function.__name__) is function:
                yield lambda f, holder=holder: setattr(holder, function.__name__, f)
    for name, cell in recurrent.CELLS.items():
        if cell.backward is function:
            yield lambda f, name=name, cell=cell: recurrent.CELLS.update(
                {name: cell._replace(backward=f)}
            )


SUM = language_model.LanguageModel._embedding_gradients, "dE_in + dE_out}"
SCATTER = embedding.embedding_backward, "dE[tokens] = rows"
BODY, ALL = "E W0 U0 b0", "E W0 U0 b0 P p c"

EMBEDDING = [
    Planted("input path missing", *SUM, "dE_out}", "E", "input path missing"),
    Planted("output path missing", *SUM, "dE_in}", "E", "output path missing"),
    Planted("input path added twice", *SUM, "2 * dE_in + dE_out}", "E", "input path twice"),
    Planted("output path added twice", *SUM, "dE_in + 2 * dE_out}", "E", "output path twice"),
    Planted("halved", *SUM, "(dE_in + dE_out) / 2}", "E", "constant factor"),
    Planted("doubled", *SUM, "2 * (dE_in + dE_out)}", "E", "constant factor"),
    Planted("sign", *SUM, "-(dE_in + dE_out)}", "E", "wrong sign"),
    Planted(
        "one path overwrites the other", *SUM,
        "np.where(dE_in.any(axis=1, keepdims=True), dE_in, dE_out)}", "E", "paths overwritten",
    ),
    Planted(
        "+= with repeats", *SCATTER, "dE[cache.x] += cache.scale * de", "E E_in",
        "repeated tokens lost",
    ),
    Planted(
        "assignment", *SCATTER, "dE[cache.x] = cache.scale * de", "E E_in", "repeated tokens lost"
    ),
    Planted(
        "row shifted", *SCATTER, "dE[(tokens + 1) % cache.vocab_size] = rows", "E E_in",
        "rows shifted",
    ),
    Planted(
        "scale forgotten", embedding.embedding_backward_rows, "cache.scale * np", "np", "E E_in",
        "embedding scale", {"embed_scale": 1.7},
    ),
]  # fmt: skip

MINUS = softmax.scores_to_gradient, "s[np.arange(len(y)), y] -= weights"
THROUGH = softmax.softmax_loss_backward, "through_scores(dloss, ds, rows, E)"
BOTH_PATHS = f"{ALL} E_in E_out"

SOFTMAX = [
    Planted(
        "target off by one", *MINUS, "s[np.arange(len(y)), (y + 1) % s.shape[1]] -= weights",
        BOTH_PATHS,
    ),
    Planted("-1 forgotten", *MINUS, "pass", BOTH_PATHS),
    Planted(
        "sum for mean", *THROUGH, "through_scores(dloss * y.size, ds, rows, E)", BOTH_PATHS,
        "constant factor",
    ),
    Planted(
        "mean over B only", *THROUGH, "through_scores(dloss * y.shape[1], ds, rows, E)",
        BOTH_PATHS, "constant factor",
    ),
    Planted(
        "output bias missing", softmax.through_scores, "dloss * (np.ones(len(ds), ds.dtype) @ ds)",
        "0 * ds.sum(axis=0)", "c", "all zero",
    ),
]  # fmt: skip

SLOPE = rnn.rnn_backward, "ACTIVATIONS[activation].slope(h)"
NEXT = rnn.rnn_backward, "dh_next = masked(da[:, t] @ U, at_step(mask, t))"
DU = rnn.rnn_backward, "as_rows(da).T @ as_rows(h_prev)"
PATHS = f"{BODY} E_in"
SQUARE = {"d_hidden": 4, "projection": True}

RECURRENT = [
    Planted("1 - h² missing", *SLOPE, "np.ones_like(h)", PATHS),
    Planted("1 - h² with the previous h", *SLOPE, "1 - h_prev * h_prev", PATHS),
    Planted("1 - h² as 1 - h", *SLOPE, "1 - h", PATHS),
    Planted(
        "dh_next dropped", *NEXT, "dh_next = np.zeros_like(dh[:, t])", PATHS,
        "future gradient dropped",
    ),
    Planted(
        "state cut inside", *NEXT, f"{NEXT[1]} * (t != 2)", PATHS, "state cut inside"
    ),
    Planted("U not transposed", *NEXT, "dh_next = da[:, t] @ U.T", PATHS, "matrix not transposed"),
    Planted("dU with the wrong h", *DU, "as_rows(da).T @ as_rows(h)", "U0"),
    Planted(
        "dU without step 0", *DU, "as_rows(da[:, 1:]).T @ as_rows(h_prev[:, 1:])", "U0",
        "initial state missing",
    ),
    Planted(
        "dU of the last step", *DU, "da[:, -1].T @ h_prev[:, -1]", "U0", "last step only"
    ),
    Planted("dU of the first step", *DU, "da[:, 0].T @ h_prev[:, 0]", "U0", "first step only"),
    Planted(
        "dU transposed", *DU, "as_rows(h_prev).T @ as_rows(da)", "U0", "transposed"
    ),
    Planted(
        "bias averaged", linear.linear_backward, "dy.sum(axis=0)", "dy.mean(axis=0)", "b0 p",
        "constant factor",
    ),
    Planted(
        "W not transposed", linear.linear_backward, "(dy @ W)", "(dy @ W.T)", PATHS,
        options=SQUARE,
    ),
    Planted(
        "projection transposed", linear.linear_backward, "dy.T @ as_rows(x)", "as_rows(x).T @ dy",
        "W0 P", "transposed", SQUARE,
    ),
]  # fmt: skip

LSTM, GRU = {"cell": "lstm"}, {"cell": "gru"}
DC, LSTM_CELL = (lstm.lstm_backward, "dh_t, dc_next, gates"), lstm.lstm_cell_backward
GRU_CELL = gru.gru_cell_backward

GATED = [
    Planted(
        "lstm: carry of dc", *DC, "dh_t, 0 * dc_next, gates", PATHS, "future gradient dropped", LSTM
    ),
    Planted(
        "lstm: dh_next dropped", lstm.lstm_backward, "dh[:, t] + dh_next", "dh[:, t]", PATHS,
        "future gradient dropped", LSTM,
    ),
    Planted("lstm: forget factor", LSTM_CELL, "dc * f", "dc", PATHS, None, LSTM),
    Planted("lstm: tanh(c)", LSTM_CELL, "(1 - tanh_c * tanh_c)", "1", PATHS, None, LSTM),
    Planted(
        "lstm: gate order", LSTM_CELL, "[da_i, da_f, da_g, da_o]", "[da_i, da_g, da_f, da_o]",
        PATHS, None, LSTM,
    ),
    Planted("gru: reset outside the product", GRU_CELL, "da_n * r]", "da_n]", PATHS, None, GRU),
    Planted("gru: reset gate without u_n", GRU_CELL, "da_n * u_n", "da_n", PATHS, None, GRU),
    Planted("gru: 1 - z as z", GRU_CELL, "dh * (1 - z)", "dh * z", PATHS, None, GRU),
    Planted("gru: sign of dz", GRU_CELL, "(h_prev - n)", "(n - h_prev)", PATHS, None, GRU),
    Planted("gru: dz without n", GRU_CELL, "(h_prev - n)", "h_prev", PATHS, None, GRU),
    Planted("gru: carry of z", GRU_CELL, "du, z * dh", "du, 0 * dh", PATHS, None, GRU),
    Planted(
        "gru: dh_next dropped", gru.gru_backward, "dh[:, t] + dh_next", "dh[:, t]", PATHS,
        "future gradient dropped", GRU,
    ),
]  # fmt: skip

CHECKED = language_model.LanguageModel.loss_and_grads, "self._checked(x, y, state, masks)"
STEPS = "np.arange(len(ds)) % y.shape[1]"

STEP = [
    Planted(
        "gradient at a zero state", *CHECKED, "self._checked(x, y, None, masks)", BOTH_PATHS,
        "initial state missing",
    ),
    Planted(
        "targets of the step before", *CHECKED,
        "self._checked(x, np.roll(y, 1, axis=1), state, masks)",
        "E W0 U0 b0 P E_in E_out", "shifted by one step",
    ),
    Planted(
        "tokens of the step after", embedding.embedding_forward, "EmbeddingCache(x,",
        "EmbeddingCache(np.roll(x, -1, axis=1),", "E E_in", "shifted by one step",
    ),
    Planted(
        "loss of the last step", *THROUGH,
        f"through_scores(dloss, ds * ({STEPS} == y.shape[1] - 1)[:, None], rows, E)", BOTH_PATHS,
        "last step only",
    ),
    Planted(
        "loss of the first step", *THROUGH,
        f"through_scores(dloss, ds * ({STEPS} == 0)[:, None], rows, E)", BOTH_PATHS,
        "first step only",
    ),
    Planted(
        "lstm: dU without step 0", lstm.lstm_backward, DU[1],
        "as_rows(da[:, 1:]).T @ as_rows(h_prev[:, 1:])", "U0", "initial state missing", LSTM,
    ),
    Planted(
        "lstm: dU of the last step", lstm.lstm_backward, DU[1], "da[:, -1].T @ h_prev[:, -1]", "U0",
        "last step only", LSTM,
    ),
    Planted(
        "lstm: state cut inside", lstm.lstm_backward, "        dh_t = dh[:, t] + dh_next",
        "        if t == 1:\n            dh_next, dc_next = 0 * dh_next, 0 * dc_next\n"
        "        dh_t = dh[:, t] + dh_next", PATHS, "state cut inside", LSTM,
    ),
    Planted(
        "gru: state cut inside", gru.gru_backward,
        "dh_direct + masked(du[:, t] @ U, at_step(mask, t))",
        "(t != 2) * (dh_direct + masked(du[:, t] @ U, at_step(mask, t)))", PATHS,
        "state cut inside", GRU,
    ),
    Planted(
        "gru: dU transposed", gru.gru_backward, "as_rows(du).T @ as_rows(masked(h_prev, mask))",
        "np.concatenate([g.T for g in np.split(as_rows(du).T @ as_rows(masked(h_prev, mask)), 3)])",
        "U0", "transposed", GRU,
    ),
    Planted("dU doubled", *DU, "2 * as_rows(da).T @ as_rows(h_prev)", "U0", "constant factor"),
    Planted("dU never filled in", *DU, "0 * as_rows(da).T @ as_rows(h_prev)", "U0", "all zero"),
    Planted("dU with the wrong sign", *DU, "-as_rows(da).T @ as_rows(h_prev)", "U0", "wrong sign"),
]  # fmt: skip

MASK, DROPPED = (dropout.dropout_backward, "dy * cache.mask"), {"dropout": 0.5}

DROPOUT = [
    Planted("mask drawn again", *MASK, "dy * cache.mask[::-1]", PATHS, None, DROPPED),
    Planted("mask not rescaled", *MASK, "dy * (cache.mask > 0)", PATHS, None, DROPPED),
    Planted("mask forgotten", *MASK, "dy", PATHS, None, DROPPED),
]

MODEL_BUGS = [*EMBEDDING, *SOFTMAX, *RECURRENT, *GATED, *STEP, *DROPOUT]

# seen only where the gradient of the first state is wanted: by the check of an operation
STATE_BUGS = {
    "rnn, tanh": Planted("dh0 zero", *DU, f"{DU[1]}\n    dh_next = 0 * dh_next", "h0"),
    "gru": Planted(
        "gru: dh0 zero", gru.gru_backward, "dh_next, dW", "0 * dh_next, dW", "h0"
    ),
    "lstm": Planted(
        "lstm: dc0 zero", lstm.lstm_backward, "LSTMState(dh_next, dc_next)",
        "LSTMState(dh_next, 0 * dc_next)", "state.c",
    ),
}  # fmt: skip
