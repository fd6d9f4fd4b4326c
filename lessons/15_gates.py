# %% [markdown]
# # 15 Gates
#
# - **Question:** do LSTM and GRU change anything about tying?
# - **Builds on:** lessons 04, 07 and 08
# - **Reading:** 25 minutes, and 8 for what is headed *Further*
# - **Exercise:** 40 minutes
# - **Run:** 4 seconds
#
# **Predict before you run.** Put an LSTM in the place of the simple cell.
# Which of E_in, E_out, the lookup, the scores and the sum must change? And
# does tying then save more, less, or as much?

# %% tags=["answer"]
import numpy as np

from figures import gradient_of_cells, save_figure
from tinytie import RNNLM, check_model, count_parameters
from tinytie.experiments.recipes.press_wolf import PRESS_WOLF
from tinytie.ops.cells import CELLS, LSTMState, lstm_cell_backward, lstm_cell_forward
from tinytie.ops.recurrence import recurrence_backward, recurrence_forward

rng = np.random.default_rng(15)
x, y = rng.integers(9, size=(2, 3, 5))  # (B, T) each, V = 9
for cell in ("rnn", "gru", "lstm"):
    model = RNNLM(9, 4, cell=cell, tied=True, rng=1)
    rows = {row.name: row.verdict for row in check_model(model, x, y).rows}
    print(f"{cell:4}", ", ".join(f"{name} {rows[name]}" for name in ("E", "E_in", "E_out")))

# %% [markdown]
# You see PASS nine times, from one and the same line dE = dE_in + dE_out. The
# gates live between the lookup and the scores; tying does not see them. What
# changes is the rest of the model:

# %% tags=["answer"]
for cell in ("rnn", "gru", "lstm"):
    counts = count_parameters(RNNLM(1000, 64, cell=cell, rng=0))
    share = counts["savings"] / counts["without_tying"]
    print(
        f"{cell:4} tied {counts['total']:,}, untied {counts['without_tying']:,}: saves {share:.0%}"
    )

# %% [markdown]
# You see the same 64,000 numbers saved each time, of a model that has one,
# three or four W and U.
#
# ## Why gates
#
# Lesson 08 ended with a problem: each step back multiplies by U and by a slope
# below 1, and what comes from far away fades. An LSTM has a second state, the
# memory c, that is not multiplied by U:
#
#     c_t = f ∘ c_{t−1} + i ∘ g        h_t = o ∘ tanh(c_t)        i, f, o = σ(…),  g = tanh(…)
#
# Each … is the a of lesson 07, W e + U h_{t−1} + b, with a W, U and b of its
# own. σ is the sigmoid, between 0 and 1, so i, f and o are **gates**: what
# comes in, what stays, what is shown. (c is the memory here, not the bias of
# the scores.) Straight back along c, a gradient meets nothing but f, once a
# step. The network can learn f near 1. A GRU does the same with one state and
# a gate z, h_t = (1 − z) ∘ n + z ∘ h_{t−1}, where n is the new state that it
# would like: straight back along h, a gradient meets z.

# %%
T, D, H = 30, 6, 8
e = rng.normal(size=(2, T, D))  # (B, T, D)


def weights(gates, open_gate=None):
    rng = np.random.default_rng(5)
    W = rng.normal(size=(gates * H, D)) / np.sqrt(D)  # (G·H, D)
    U = 0.7 * rng.normal(size=(gates * H, H)) / np.sqrt(H)  # (G·H, H)
    b = np.zeros(gates * H)  # (G·H,)
    if open_gate is not None:
        b[open_gate * H : (open_gate + 1) * H] = 3.0  # σ(3) = 0.95: hold on
    return W, U, b


# %% [markdown]
# You see nothing yet. One gate gets a bias of 3, f or z: an open gate is what
# training may find, and what many start from.
#
# Now put a loss on the last step alone, and ask what of it reaches the state
# of each step before.


# %%
def reaching(name, parts):
    cell, zero = CELLS[name], np.zeros((2, H))  # (B, H)
    sizes, state = [], cell.state(*[zero] * len(cell.state._fields))
    for t in range(T):
        (h, _), cache = recurrence_forward(cell, e[:, t:], state, *parts)
        only_last = np.zeros_like(h)  # (B, T − t, H)
        only_last[:, -1] = 1
        _, dstate, *_ = recurrence_backward(cell, (only_last, None), cache)
        sizes.append(np.linalg.norm(dstate))  # of an LSTM: of dh and dc together
        (_, state), _ = recurrence_forward(cell, e[:, t : t + 1], state, *parts)
    return np.array(sizes)


# %% [markdown]
# You see nothing yet: the function walks forward through the text, and from
# each step runs the rest, forward and back.

# %%
norms = {
    "simple": reaching("rnn", weights(1)),
    "GRU": reaching("gru", weights(3, 1)),  # r z n: z is gate 1
    "LSTM": reaching("lstm", weights(4, 1)),  # i f g o: f is gate 1
}
for name, sizes in norms.items():
    print(f"{name:6} thirty steps back {sizes[0] / sizes[-1]:.0e} of what is there one step back")
closed = reaching("lstm", weights(4))
print(f"LSTM with a bias of 0: {closed[0] / closed[-1]:.0e}")

# %% [markdown]
# You see the simple cell forget, and both gated cells remember; and that it is
# not the letters LSTM that do it: with f near σ(0) = ½, each step along c
# keeps about a half.
#
# For tying this means: dE_in comes through the body, dE_out does not. What
# fades in the body fades in dE_in alone. A better cell makes the input path's
# view longer; it does not touch the sum.
#
# ## Further: the gradient of a gate, by hand
#
# Take f. It is used once, in c = f ∘ c_prev + i ∘ g, so with dc, all that
# reaches c:
#
#     df   = dc ∘ c_prev              the other factor of the product
#     da_f = f (1 − f) ∘ df           the slope of σ, from f alone (lesson 07)
#
# And dc itself has two sources, for c is used twice: in h = o ∘ tanh(c), and
# in the next c.

# %%
a, c_prev = rng.normal(size=(2, 4 * H)), rng.normal(size=(2, H))  # (B, 4H), (B, H)
_, gates = lstm_cell_forward(a, 0 * a, LSTMState(0 * c_prev, c_prev))  # u = 0: all is in a
dh, dc_later = rng.normal(size=(2, 2, H))  # (B, H) each: from the scores, and from the next step
dc = dc_later + dh * gates.o * (1 - gates.tanh_c**2)  # c is used twice
da_f = gates.f * (1 - gates.f) * dc * c_prev
da, _, (_, dc_prev) = lstm_cell_backward(LSTMState(dh, dc_later), gates)
print("da_f equals the package's:", np.allclose(da_f, da[:, H : 2 * H]))
print("and what goes on to c_prev is dc ∘ f:", np.allclose(dc_prev, dc * gates.f))

# %% [markdown]
# You see `True` twice. The other gates go the same way: the other factor, then
# the slope.
#
# ## The picture

# %%
figure = gradient_of_cells(norms | {"LSTM, bias 0": closed})
print(save_figure(figure, "15_gates"))

# %% [markdown]
# You see straight lines on a logarithmic axis: a factor each step. The
# question is which factor.
#
# ## Further: the paper's table beside our counts
#
# Press & Wolf trained two LSTM layers of 200 on the Penn Treebank, which is
# not free to pass on and takes an hour. So here are **their** perplexities,
# published, not run here; what we can check on the spot are their parameter
# counts, with our own model.

# %%
print("row     parameters   ours        valid  test   (perplexity: published, not run here)")
for row in (PRESS_WOLF.rows[name] for name in PRESS_WOLF.default_rows):
    ours = RNNLM(10_000, 200, cell="lstm", n_layers=2, dtype=np.float32, rng=0, **row.options)
    said, count = row.published, count_parameters(ours)["total"]
    print(f"{row.name:7} {said.parameters:,}    {count:,}   {said.valid:5.1f}  {said.test:5.1f}")

# %% [markdown]
# You see four equal counts. In their table tying (wt) takes 43 % of the
# parameters away and lowers the test perplexity; with a regularized projection
# (pr, lesson 14) it lowers it more. `tinytie reproduce` runs this for you, if
# you have the text.

# %%
print("paper's table: published, not run here")

# %% [markdown]
# You see a reminder: a number is worth what is said about where it comes from.
#
# ## What you can now say
#
# Gates change the body: how far back the input path sees, and how many
# parameters surround E. The lookup, the scores and the sum stay.
#
# **The usual misconception:** "an LSTM cannot forget its gradient." **The
# cure:** along c the factor is f. Print it; with f = ½ it forgets like any
# other.
#
# ## Exercise
#
# Open `lessons/exercises/15_gates.py` and run `tinytie exercise 15`: derive
# the forget gate of an LSTM and the update gate of a GRU.
#
# **Then read** `tinytie/ops/cells.py`: all the gates.
#
# **The last line of the run** should be
#
#     paper's table: published, not run here
