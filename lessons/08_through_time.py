# %% [markdown]
# # 08 Through time
#
# - **Question:** what comes back from the future?
# - **Builds on:** lesson 07
# - **Reading:** 25 minutes, and 4 for what is headed *Further*
# - **Exercise:** 60 minutes
# - **Run:** 1 second
#
# **Predict before you run.** In a sentence of eight words, the state h_3 helps
# to predict word 4. Does the loss at word 8 have anything to say to h_3?

# %%
import inspect

import numpy as np

from figures import gradient_by_step, save_figure
from tinytie import check_gradients
from tinytie.ops.cells import CELLS, State
from tinytie.ops.recurrence import recurrence_backward, recurrence_forward

B, T, D, H = 2, 8, 3, 4
rng = np.random.default_rng(8)
e, h0 = rng.normal(size=(B, T, D)), rng.normal(size=(B, H)) / 5
W, b = rng.normal(size=(H, D)) / 5, rng.normal(size=H) / 5
U = 0.8 * np.eye(H) + rng.normal(size=(H, H)) / 20  # a state that is mostly handed on
tanh = CELLS["rnn"]
(h, last), cache = recurrence_forward(tanh, e, State(h0), W, U, b)  # (B, T, H), State of (B, H)
print(f"e {e.shape}, states {h.shape}, the last one {last.h.shape} is h[:, -1]")

# %% [markdown]
# You see eight states a sentence. The same W, U and b made every one of them:
# eight uses each.
#
# ## Two uses of every state
#
# h_t goes up, to its own scores, and on, into h_{t+1}. Two uses: so, as
# always, two gradients, and they add:
#
#     gradient that reaches h_t  =  dh_t (from its own scores)  +  dh_next (from step t + 1)
#
# where dh_next = da_{t+1} U is what one step of lesson 07 sends to its h_prev.
# It is known once step t + 1 is done, so we walk from the last step back.

# %% tags=["answer"]
dh = np.ones((B, T, H))  # what the scores of each step send back: the same at every step


def backward_through_time(carry):
    da, reached, dh_next = np.zeros((B, T, H)), np.zeros((B, T, H)), np.zeros((B, H))
    for t in reversed(range(T)):
        reached[:, t] = dh[:, t] + carry[t] * dh_next  # h_t is used above and at t + 1
        da[:, t] = (1 - h[:, t] ** 2) * reached[:, t]
        dh_next = da[:, t] @ U
    return reached, da, dh_next


reached, da, dh0 = backward_through_time(carry=np.ones(T))  # (B, T, H), (B, T, H), (B, H)
print(f"what reaches h_1 is {np.linalg.norm(reached[:, 0]):.3f} long, ", end="")
print(f"from its own scores come {np.linalg.norm(dh[:, 0]):.3f}")

# %% [markdown]
# You see two different lengths: the future had much to say. What is left after
# the loop goes to h0, the state that the sequence started from.
#
# ## W, U and b: eight uses, one sum

# %%
h_prev = np.concatenate([h0[:, np.newaxis], h[:, :-1]], axis=1)  # (B, T, H): h_{t−1} at every t
dW = np.einsum("bth,btd->hd", da, e)  # summed over rows b and steps t
dU = np.einsum("bth,btk->hk", da, h_prev)
db = da.sum(axis=(0, 1))
theirs = recurrence_backward(tanh, (dh, None), cache)  # None: nothing from beyond the last state
ours = (da @ W, dh0, dW, dU, db)
for name, mine, package in zip(("de", "dh0", "dW", "dU", "db"), ours, theirs, strict=True):
    print(f"{name:4} {mine.shape!s:10} equals the package's: {np.allclose(mine, package)}")
print(inspect.getsource(recurrence_backward))

# %% [markdown]
# You see five times `True`. In the package's loop, find the line that says
# why: its `dstate` is our dh_next, and the cell makes da and du.
#
# ## What if it is forgotten?


# %%
def loss(p):
    (states, _), _ = recurrence_forward(tanh, e, State(p["h0"]), p["W"], p["U"], p["b"])
    return float(np.sum(dh * states))


alone, da_alone, dh0_alone = backward_through_time(carry=np.zeros(T))
params = {"h0": h0, "W": W, "U": U, "b": b}
right = {"h0": dh0, "W": dW, "U": dU, "b": db}
wrong = {"h0": dh0_alone, "b": da_alone.sum(axis=(0, 1))}
wrong |= {"W": np.einsum("bth,btd->hd", da_alone, e)}
wrong |= {"U": np.einsum("bth,btk->hk", da_alone, h_prev)}

# %% [markdown]
# You see nothing; here comes the verdict.

# %%
for name, grads in (("with dh_next", right), ("without", wrong)):
    rows = check_gradients(loss, params, grads).rows
    print(f"{name}: " + ", ".join(f"{row.name} {row.verdict}" for row in rows))
print("the last step alone is right without it:", np.allclose(alone[:, -1], reached[:, -1]))

# %% [markdown]
# You see four times FAIL. In a sequence of length 1 it would be four times
# PASS: check with T ≥ 3.
#
# ## Further: the chunks of a long text
#
# A text of a million words is read in chunks: the **state** is carried from
# chunk to chunk, the **gradient** stops at the cut. The loss does not notice.

# %%
(first, middle), cache_1 = recurrence_forward(tanh, e[:, :4], State(h0), W, U, b)
(second, _), cache_2 = recurrence_forward(tanh, e[:, 4:], middle, W, U, b)
print("states in two chunks equal the whole:", np.allclose(np.hstack([first, second]), h))
_, _, dW_1, *_ = recurrence_backward(tanh, (dh[:, :4], None), cache_1)
_, dmiddle, dW_2, *_ = recurrence_backward(tanh, (dh[:, 4:], None), cache_2)
missing = np.linalg.norm(dW - dW_1 - dW_2) / np.linalg.norm(dW)
print(f"dW of both chunks together misses {missing:.0%} of dW")

# %% [markdown]
# You see the same states and another gradient. Nothing but the cut is missing:
# hand the gradient `dmiddle` across it, and the whole is back.

# %%
_, _, dW_joined, *_ = recurrence_backward(tanh, (dh[:, :4], dmiddle), cache_1)
print("with dmiddle handed across the cut:", np.allclose(dW_joined + dW_2, dW))

# %% [markdown]
# You see `True`. Our models do not hand it across: that is **truncated**
# backpropagation through time (the walk from the last step back is
# *backpropagation through time*).
#
# ## The picture

# %%
across = np.ones(T)
across[3] = 0  # nothing comes back to the fourth state from the fifth
in_chunks, *_ = backward_through_time(carry=across)
norms = {"with dh_next": reached, "in two chunks": in_chunks, "without dh_next": alone}
norms = {name: np.linalg.norm(values, axis=(0, 2)) for name, values in norms.items()}
figure = gradient_by_step(norms)
print(save_figure(figure, "08_through_time"))

# %% [markdown]
# You see three lines that meet at the last step: the first knows of everything
# that follows, the second up to its own chunk's end, the third of nothing.
#
# ## How far back?
#
# Each step back multiplies by U and by a slope that is at most 1. Put a loss
# on the last step alone, and look at the share that arrives at h0.


# %%
def arrives(factor):
    (_, _), kept = recurrence_forward(tanh, e, State(h0), W, factor * U, b)
    only_last = np.zeros((B, T, H))
    only_last[:, -1] = 1
    _, at_start, *_ = recurrence_backward(tanh, (only_last, None), kept)
    return np.linalg.norm(at_start) / np.linalg.norm(only_last)


longer = np.linalg.norm(np.linalg.matrix_power(1.4 * U, T), 2)
print(f"U times 1.4, eight times over, makes a vector up to {longer:.1f} times as long")
print(", ".join(f"U times {factor}: {arrives(factor):.2f}" for factor in (0.5, 1.0, 1.4)))

# %% [markdown]
# You see a gradient that fades from step to step with a small U: it is said to
# **vanish**. With a larger one the products with U alone make it grow; where
# the slopes do not hold that back, it **explodes**, and then its norm is cut
# to a largest length (*clipped*, lesson 14). Lesson 15 has cells in which it
# does not vanish so soon.
#
# ## What you can now say
#
# h_t is used twice, so two gradients add: its own and dh_next. W, U and b are
# used T times, so T contributions add. It is the rule of lesson 02, and of
# lesson 04, and there is no other.
#
# **The usual misconception:** "backpropagation through time is another
# algorithm." **The cure:** lay the loop out as T layers that share their
# arrays; then it is the chain rule, walked from the end.
#
# ## Exercise
#
# Open `lessons/exercises/08_through_time.py` and run `tinytie exercise 8`:
# write the loop, then cut it.
#
# **Then read** `tinytie/ops/recurrence.py` and
# `tinytie/models/recurrent_body.py`: the sequence, and layers of them.
#
# **The last line of the run** should be
#
#     U times 0.5: 0.00, U times 1.0: 0.13, U times 1.4: 0.79
