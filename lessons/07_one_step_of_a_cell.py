# %% [markdown]
# # 07 One step of a recurrent cell
#
# - **Question:** what must forward keep for backward?
# - **Builds on:** lessons 02 and 05
# - **Reading:** 25 minutes
# - **Exercise:** 45 minutes
# - **Run:** 1 second
#
# **Predict before you run.** The cell is h = tanh(W e + U h_prev + b). To go backward through
# tanh we need its slope at a = W e + U h_prev + b. Must the forward keep a?

# %%
import inspect

import numpy as np

from figures import cell_and_what_it_keeps, save_figure
from tinytie import check_operation
from tinytie.ops.cells import State, tanh_cell_backward, tanh_cell_forward
from tinytie.ops.registry import Sizes, operations

rng = np.random.default_rng(7)
e, h_prev = rng.normal(size=(2, 3)), rng.normal(size=(2, 4))  # (B, D) = (2, 3), (B, H) = (2, 4)
W, U, b = rng.normal(size=(4, 3)), rng.normal(size=(4, 4)), rng.normal(size=4)  # (H, D) (H, H) (H,)
a, u = e @ W.T + b, h_prev @ U.T  # (B, H) each: the input side and the state side
(h,), kept = tanh_cell_forward(a, u, State(h_prev))  # h = tanh(a + u), (B, H)
print(f"e {e.shape} and h_prev {h_prev.shape} become h {h.shape}")

# %% [markdown]
# You see that the new state is as wide as the old one: it will be the old one of the next step.
#
# On paper e and h are columns and the cell is W e + U h; in the code they are rows of a batch, so
# it reads e @ W.T + b and h_prev @ U.T. Both products stand outside the cell: what remains of it,
# h = tanh(a + u), works entry by entry. D and H differ on purpose: where they are equal, a
# forgotten transpose still fits.
#
# ## What was kept

# %% tags=["answer"]
for name, value in kept._asdict().items():
    print(f"{name} {value.shape}, the new state itself: {value is h}")

# %% [markdown]
# You see one array: h. There is no a, and no u. (The products keep their factors: e and W, h_prev
# and U.)
#
# ## Backward, from the last line to the first
#
# Forward: **a** = e Wᵀ + b and **u** = h_prev Uᵀ, then **h** = tanh(a + u). We are given dh, with
# h's shape. Each product goes back as the scores' did, s = h Eᵀ (lesson 03). ∘ multiplies entry by
# entry.
#
#     da = du = tanh′(a + u) ∘ dh   (B, H)     entry by entry, as tanh acts
#     de      = da W                (B, D)     a product e Wᵀ: its partner needs W …
#     dW      = daᵀ e               (H, D)     … and e
#     dh_prev = du U                (B, H)     the same for h_prev Uᵀ
#     dU      = duᵀ h_prev          (H, H)
#     db      = sum of da over B    (H,)       b was used by every row: the uses add
#
# And the slope: tanh′(a + u) = 1 − tanh(a + u)² = 1 − h². So a + u is not needed; h will do.

# %%
dh = rng.normal(size=(2, 4))  # (B, H)
da = (1 - h**2) * dh  # (B, H)
theirs, du, _ = tanh_cell_backward(State(dh), kept)
print(f"da equals the package's: {np.allclose(da, theirs)}, and du is the same: {du is theirs}")
ours = {"de": da @ W, "dh_prev": da @ U, "dW": da.T @ e, "dU": da.T @ h_prev, "db": da.sum(axis=0)}
for name, gradient in ours.items():
    print(f"{name:8} {gradient.shape}")
print(inspect.getsource(tanh_cell_backward))

# %% [markdown]
# You see each gradient with the shape of what it is the gradient of. Where D and H differ, the
# shapes leave only one way to multiply for W. **U is square**: there a forgotten transpose fits,
# and only a check will find it.
#
# ## Which slopes can be written with h?

# %%
grid = np.linspace(-2, 2, 8)  # (8,): no kink of relu on a point
slopes = {
    "tanh": (np.tanh, lambda h: 1 - h**2),
    "sigmoid": (lambda a: 1 / (1 + np.exp(-a)), lambda h: h * (1 - h)),
    "relu": (lambda a: np.maximum(a, 0), lambda h: h > 0),
}
for name, (f, slope) in slopes.items():
    measured = (f(grid + 1e-5) - f(grid - 1e-5)) / 2e-5
    print(f"{name:8} slope from h alone is right: {np.allclose(slope(f(grid)), measured)}")

# %% [markdown]
# You see that all three can: one kept array, h, serves both directions.
#
# It is not always so. Take f(a) = a².

# %%
for number in (-0.5, 0.5):
    print(f"a = {number:4}: h = {number**2}, slope 2a = {2 * number}")

# %% [markdown]
# You see one h with two slopes: from h alone nobody can tell them apart. Such a cell must keep a.
#
# ## Kept does not mean copied
#
# The cache points at the very array that the forward returned. Change it before the backward, and
# the backward believes the change.

# %%
(lent,), lent_kept = tanh_cell_forward(a, u, State(h_prev))
before, *_ = tanh_cell_backward(State(dh), lent_kept)
lent[0] = 0  # "nobody needs this any more"
after, *_ = tanh_cell_backward(State(dh), lent_kept)
print(f"da moved by {np.abs(after - before).max():.3f}, and there was no error")

# %% [markdown]
# You see a wrong da, silently. So our operations never write into their arguments, and neither
# should you, between forward and backward.
#
# ## A slope that is nearly right
#
# A common slip takes the slope at the previous h. Is it seen?

# %%
slip = (1 - h_prev**2) * dh  # (B, H)
print(f"db should be {da.sum(axis=0).round(3)}")
print(f"the slip has {slip.sum(axis=0).round(3)}")

# %% [markdown]
# You see numbers of the right size, all of them wrong: nothing crashes, and only a check will say.
#
# ## The picture

# %%
figure = cell_and_what_it_keeps()
print(save_figure(figure, "07_one_step_of_a_cell"))

# %% [markdown]
# You see the forward from left to right; the filled boxes are kept, the dashed ones are not.
#
# ## Checked, like every operation

# %%
(operation,) = (one for one in operations() if one.name == "rnn")
report = check_operation(operation, Sizes(B=2, T=3, V=7, D=4, H=5), rng=0)
names = ", ".join(row.name for row in report.rows)
print(f"{operation.name}: {report.verdict} for {names}")

# %% [markdown]
# You see one verdict for five gradients: B, D and H all differ in this check, and no state is zero.
#
# ## What you can now say
#
# A backward needs: for a product, its two factors; for a function, its slope, and that often is a
# matter of its value alone. Keep those, by name, and no more.
#
# **The usual misconception:** "backward needs everything that forward computed." **The cure:**
# write the backward first, and keep what it mentions.
#
# ## Exercise
#
# Open `lessons/exercises/07_one_step_of_a_cell.py` and run `tinytie exercise 7`: three slopes from
# h alone, then the step.
#
# **Then read** `tinytie/ops/cells.py`: the cells, each a forward and a backward of one step.
#
# **The last line of the run** should be
#
#     rnn: PASS for e, state.h, W, U, b
