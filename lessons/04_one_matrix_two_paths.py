# %% [markdown]
# # 04 One matrix, two paths
#
# - **Question:** why is dE a sum?
# - **Builds on:** lessons 02 and 03
# - **Reading:** 25 minutes, and 3 for what is headed *Further*
# - **Exercise:** 40 minutes
# - **Run:** 1 second
#
# **Predict before you run.** A tied model looks up `the cat the` and is asked
# for `cat the mat`. E has seven rows. How many rows of the lookup's gradient
# are zero? Of the scores' gradient? Of their sum?

# %%
import numpy as np

from figures import save_figure, two_paths
from tinytie import check_gradients
from tinytie.ops.embedding import embedding_backward, embedding_forward
from tinytie.ops.linear import linear_backward, linear_forward
from tinytie.ops.softmax import softmax_loss_backward, softmax_loss_forward

words = ["the", "cat", "dog", "sat", "ran", "on", "mat"]
rng = np.random.default_rng(6)
E = rng.normal(size=(7, 4))  # (V, D)
W = rng.normal(size=(4, 4))  # (H, D), with H = D: h must be as wide as a row of E
x, y = np.array([[0, 1, 0]]), np.array([[1, 0, 6]])  # (B, T) = (1, 3) each
print(f"E {E.shape}, W {W.shape}, ids {x.tolist()} -> targets {y.tolist()}")

# %% [markdown]
# You see one sentence of three questions, and `the` looked up twice.
#
# ## A network that takes two matrices
#
# Here is the smallest network with both jobs; it has no memory yet.
#
#     e = E_in[x]        h = tanh(W e)        s = E_out h        loss = mean of −log softmax(s)[y]
#
# We write it once, for **two** matrices. It cannot know whether they are the
# same array.


# %%
def forward(E_in, E_out, W=W):
    e, looked = embedding_forward(x, E_in)  # (B, T, D)
    a, multiplied = linear_forward(e, W)  # (B, T, H)
    h = np.tanh(a)  # (B, T, H)
    loss, scored = softmax_loss_forward(h, E_out, None, y)
    return loss, (looked, multiplied, h, scored)


print(f"untied: {forward(E, -E)[0]:.4f} nats, tied: {forward(E, E)[0]:.4f} nats")

# %% [markdown]
# You see two losses of the same function: the untied call passed two arrays,
# the tied call passed one array twice. That is all that tying is.
#
# ## Backward: the same lines in reverse
#
# Each line of the forward has its partner, last line first. The scores give dh
# and dE_out (lesson 03). The slope of tanh(a) is 1 − tanh(a)² = 1 − h². The
# product a = e Wᵀ has the form of s = h Eᵀ, so it sends back de = da W. The
# lookup collects (lesson 02).


# %% tags=["answer"]
def backward(cache):
    looked, multiplied, h, scored = cache
    dh, dE_out, _ = softmax_loss_backward(1.0, scored)  # (B, T, H) and (V, D)
    da = (1 - h * h) * dh  # (B, T, H)
    de, _, _ = linear_backward(da, multiplied)  # (B, T, D)
    dE_in = embedding_backward(de, looked)  # (V, D)
    return dE_in, dE_out


loss, cache = forward(E, E)
dE_in, dE_out = backward(cache)  # (V, D) each
for name, path in (("dE_in", dE_in), ("dE_out", dE_out)):
    print(f"{name:6} {path.shape}: rows that are zero {np.sum(~path.any(axis=1))}")

# %% [markdown]
# You see a sparse path, with five rows of zeros, and a dense one, with none.
#
# ## Why the two add
#
# Tying is the map E -> (E, E). The loss is L(E_in, E_out) at E_in = E_out = E.
# Move E by a small step Δ, an array of its shape, and **both** arguments move,
# so
#
#     change of L  =  Σ dE_in ∘ Δ  +  Σ dE_out ∘ Δ  =  Σ (dE_in + dE_out) ∘ Δ
#
# (each Σ over all entries), and the array that stands beside Δ is the
# gradient. That is the chain rule, and all of it.

# %% tags=["answer"]
dE = dE_in + dE_out  # (V, D): the two paths of E, all of weight tying
print(f"rows of the sum that are zero: {np.sum(~dE.any(axis=1))}")

# %% [markdown]
# You see 0: a sum with a dense part is dense.
#
# ## Three experiments
#
# Formulas can be wrong; the loss cannot. Bump the second entry of the row of
# `the`: in one array that is passed twice; then in one of two equal copies,
# and in the other.

# %%
step = np.zeros((7, 4))  # (V, D)
step[0, 1] = 1e-5
both = (forward(E + step, E + step)[0] - forward(E - step, E - step)[0]) / 2e-5
lookup = (forward(E + step, E)[0] - forward(E - step, E)[0]) / 2e-5
scores = (forward(E, E + step)[0] - forward(E, E - step)[0]) / 2e-5
print(f"bump the shared array:     {both:.6f}   dE     {dE[0, 1]:.6f}")
print(f"bump the copy looked up:   {lookup:.6f}   dE_in  {dE_in[0, 1]:.6f}")
print(f"bump the copy that scores: {scores:.6f}   dE_out {dE_out[0, 1]:.6f}")

# %% [markdown]
# You see three pairs of equal numbers, and the first is the sum of the other
# two.
#
# ## Further: a muddled sentence, and its number
#
# *"The two gradients are the output path and the embedding regularization
# path."* There is no regularization here: the loss has one term. Both paths
# come from that one cross-entropy, the first through the scores, the second
# through everything between the lookup and the scores.
#
# Two tests. A penalty ½λ‖E‖² has the gradient λE, which has no zero row; dE_in
# has five. And a penalty would not care about W: cut the network, W = 0, and
# see what is left of the lookup's path.

# %%
cut_in, _ = backward(forward(E, E, 0 * W)[1])  # (V, D)
print(f"largest entry of dE_in: {np.abs(dE_in).max():.6f}")
print(f"the same where W = 0:   {np.abs(cut_in).max():.6f}")

# %% [markdown]
# You see it vanish: what came through the lookup came through the network.
#
# ## The picture

# %%
figure = two_paths(dE_in, dE_out, words)
print(save_figure(figure, "04_one_matrix_two_paths"))

# %% [markdown]
# You see two words with numbers on the left, seven in the middle, and their
# sum on the right.
#
# ## Which rule would a check accept?

# %%
rules = {"dE_out": dE_out, "dE_in": dE_in, "(dE_in + dE_out) / 2": dE / 2, "dE_in + dE_out": dE}
for rule, claim in rules.items():
    report = check_gradients(lambda p: forward(p["E"], p["E"])[0], {"E": E}, {"E": claim})
    print(f"dE = {rule}: {report.verdict}")

# %% [markdown]
# You see one PASS. The rule `dE_out` alone is a mistake that is easy to make
# and hard to see: the output path has something in every row, so training goes
# on, and nothing crashes.
#
# ## What you can now say
#
# An array that is used twice gets the sum of what both uses send back. Write
# the network for two matrices, keep two names, dE_in and dE_out, and add them
# in one visible line.
#
# **The usual misconception:** "tied means the two matrices are kept equal", by
# copying or by averaging their gradients. **The cure:** there are no two
# matrices. There is one, used twice; bump it, and both uses move.
#
# ## Exercise
#
# Open `lessons/exercises/04_one_matrix_two_paths.py` and run
# `tinytie exercise 4`: write dE yourself; then predict which of five wrong
# rules the check rejects. One of them passes on some batches.
#
# **Then read** `tinytie/ops/linear.py` and `tinytie/models/language_model.py`:
# a product with its gradients, and the one line that adds the paths of E.
#
# **The last line of the run** should be
#
#     dE = dE_in + dE_out: PASS
