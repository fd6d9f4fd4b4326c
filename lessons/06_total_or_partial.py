# %% [markdown]
# # 06 Total or partial?
#
# - **Question:** what does d/dE mean where E is used twice?
# - **Builds on:** lessons 04 and 05
# - **Reading:** 25 minutes, and 5 for what is headed *Further*
# - **Exercise:** 40 minutes
# - **Run:** 1 second
#
# **Predict before you run.** f(a, b) = a² b. At a = b = 3: what is ∂f/∂a, what
# is ∂f/∂b, and what is df/dt where a and b are both t?

# %% tags=["answer"]
import copy

import numpy as np

from figures import save_figure, total_and_partials
from tinytie import RNNLM, check_model, untie_weights


def f(a, b):
    return a**2 * b


t, step = 3.0, 1e-5
by_a = (f(t + step, t) - f(t - step, t)) / (2 * step)
by_b = (f(t, t + step) - f(t, t - step)) / (2 * step)
by_t = (f(t + step, t + step) - f(t - step, t - step)) / (2 * step)
print(f"partial by a {by_a:.4f}, partial by b {by_b:.4f}, total by t {by_t:.4f}")

# %% [markdown]
# You see 18, 9 and 27 = 18 + 9. A **partial** derivative moves one argument
# and holds the other; a **total** one moves whatever hangs on t. f(t, t) is
# t³, and 3t² = 27.
#
# "The gradient of E" is not a clear phrase where E is used twice. Three things
# may be meant:
#
#     dE_in  = ∂L/∂E_in      hold the matrix of the scores        (partial)
#     dE_out = ∂L/∂E_out     hold the matrix of the lookup        (partial)
#     dE     = dL/dE         there is one matrix, and both move   (total)
#
# ## The same with a language model
#
# From here on we use the package's model: a recurrent one, whose inside is the
# next two lessons. All it must have here is one matrix E with two uses.

# %%
model = RNNLM(9, 4, tied=True, rng=1)  # V = 9 words, D = 4
rng = np.random.default_rng(10)
model.params["E"] *= 8  # larger than at the start of training, so that there is something to see
x = rng.integers(6, size=(3, 5))  # (B, T): words 6, 7 and 8 never occur as input
y = rng.integers(9, size=(3, 5))  # (B, T)
result = model.loss_and_grads(x, y)
dE, (dE_in, dE_out) = result.grads["E"], result.embedding_paths  # (V, D), three times
print(f"loss {result.loss:.4f} nats; E {dE.shape}; parameters {', '.join(model.params)}")

# %% [markdown]
# You see one E, and no E_in or E_out: a tied model has only one. The result
# has the total, `grads`, and keeps the two partials apart for us,
# `embedding_paths`.

# %%
print("the total is exactly the sum:", np.array_equal(dE, dE_in + dE_out))
print(f"rows of dE_in that are zero: {np.sum(~dE_in.any(axis=1))} of 9, of dE_out: ", end="")
print(np.sum(~dE_out.any(axis=1)))

# %% [markdown]
# You see `True`: to the last bit, for the model computes it so, in one visible
# line (`tinytie/models/language_model.py`, look for "all of weight tying").
#
# ## Measure all three
#
# To measure a total, bump the one array. To measure a partial, there must be
# two: `untie_weights` gives a copy of the model with two equal matrices.

# %%
twin = untie_weights(model)


def measured(model, name):
    model, found = copy.deepcopy(model), np.zeros((9, 4))
    array = model.params[name]
    for index in np.ndindex(array.shape):
        value, losses = array[index], []
        for moved in (value + step, value - step):
            array[index] = moved
            losses.append(model.loss(x, y)[0])
        array[index] = value
        found[index] = (losses[0] - losses[1]) / (2 * step)
    return found


# %% [markdown]
# You see nothing: this is the difference quotient of lesson 05, entry by
# entry.

# %%
total = measured(model, "E")  # (V, D)
part_in, part_out = measured(twin, "E_in"), measured(twin, "E_out")  # (V, D) each
claims = {"dE_in": dE_in, "dE_out": dE_out, "dE": dE}
for name, claim in claims.items():
    print(f"the measured total equals {name:6}: {np.allclose(total, claim, atol=1e-8)}")
print("measured partials equal dE_in and dE_out:", end=" ")
print(np.allclose(part_in, dE_in, atol=1e-8), np.allclose(part_out, dE_out, atol=1e-8))

# %% [markdown]
# You see that neither partial is the total, and that each is right as a
# partial. So "the gradient check fails" may mean that the formula is right and
# the question was another.
#
# ## Further: does it matter for training?
#
# Put the step Δ = −r dE, with a small rate r, into lesson 04's formula: the
# loss changes by −r Σ dE ∘ dE = −r‖dE‖². Go along each of three directions,
# each with its own promise.

# %%
rate = 1e-3
for name, direction in claims.items():
    moved = copy.deepcopy(model)
    moved.params["E"] -= rate * direction
    promised = rate * np.sum(direction**2)
    kept = result.loss - moved.loss(x, y)[0]
    print(f"step along {name:6}: {kept / promised:.2f} of what ‖{name}‖² promises")

# %% [markdown]
# You see 1.00 for the total alone. A partial gets something else than it
# promised, for E moves in both places and the partial knows of one.
#
# And the two **copies**? Step each with its own partial, and they are no
# longer equal.

# %%
apart = untie_weights(model)
apart.params["E_in"] -= rate * dE_in
apart.params["E_out"] -= rate * dE_out
gap = np.abs(apart.params["E_in"] - apart.params["E_out"]).max()
print(f"after one step of two equal copies, the largest gap is {gap:.6f}")

# %% [markdown]
# You see a gap after one step. Equal at the start is not tied.
#
# ## The picture

# %%
figure = total_and_partials(total, claims)
print(save_figure(figure, "06_total_or_partial"))

# %% [markdown]
# You see the sum on the line, and both partials beside it.
#
# ## All in one call
#
# `check_model` does what you have just done for every parameter, and for E
# three times.

# %%
report = check_model(model, x, y)
names = ("E", "E_in", "E_out")
print(", ".join(f"{row.name} {row.verdict}" for row in report.rows if row.name in names))

# %% [markdown]
# You see three verdicts: the total, and each partial.
#
# ## What you can now say
#
# dL/dE is the total derivative: the sum of the partials, one for each use. Two
# uses, three uses, twenty time steps: the rule is the same.
#
# **The usual misconception:** "the derivative by E is the derivative by the E
# in the formula that I am looking at." **The cure:** ask what else moves when
# E moves. Say *total* or *partial* aloud.
#
# ## Exercise
#
# Open `lessons/exercises/06_total_or_partial.py` and run `tinytie exercise 6`:
# E gets a third use, it starts the state as well. Extend the sum.
#
# **Then read** `tinytie/gradcheck/model.py` and `tinytie/models/tying.py`: a
# total and two partials for every tied model, and how a model is untied.
#
# **The last line of the run** should be
#
#     E PASS, E_in PASS, E_out PASS
