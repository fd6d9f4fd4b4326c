# %% [markdown]
# # 02 The gradient of a lookup
#
# - **Question:** what if a word occurs twice?
# - **Builds on:** lesson 01; the chain rule
# - **Reading:** 25 minutes, and 2 for what is headed *Further*
# - **Exercise:** 30 minutes
# - **Run:** 1 second
#
# **Predict before you run.** Each word of `the cat sat on the mat` sends a
# gradient back to its row of E. There are six places and seven rows. Which
# rows of dE are zero? And what does the row of `the` get?

# %%
import inspect

import numpy as np

from figures import lookup_gradient, save_figure
from tinytie import check_gradients
from tinytie.ops.embedding import embedding_backward, embedding_forward, onehot

words = ["the", "cat", "dog", "sat", "ran", "on", "mat"]
rng = np.random.default_rng(2)
E = rng.normal(size=(7, 3)).round(2)  # (V, D)
x = np.array([[0, 1, 3, 5, 0, 6]])  # (B, T) = (1, 6): the cat sat on the mat
e, cache = embedding_forward(x, E)  # (B, T, D)
print(f"{x.size} places, {len(np.unique(x))} distinct words, e {e.shape}")

# %% [markdown]
# You see six places and five distinct words: `the` stands at places 0 and 4.
#
# ## What comes back
#
# Whatever the network does with e, at the end there is a number, the loss, and
# the chain rule brings back de: how much the loss changes per unit of each
# entry of e. It has the shape of e. (A d before a name always means this: dE
# is how much the loss changes per unit of each entry of E.) Let us take a de
# whose sums can be read off: the places get 32, 16, 8, 4, 2 and 1.

# %%
de = np.zeros((1, 6, 3))  # (B, T, D), as e
de[0] = 2.0 ** np.arange(5, -1, -1)[:, np.newaxis]
print(de[0, :, 0])

# %% [markdown]
# You see that `the` gets 32 at its first place and 2 at its second.
#
# ## The derivation
#
# The lookup is a product, e = X E with X = onehot(x), one row a place, N = B ·
# T places. Entry by entry, e[n, d] = Σ_i X[n, i] E[i, d]. So E[i, d] has a
# hand in e[n, d] with the factor X[n, i], for every place n, and by the chain
# rule what comes back from all places adds up:
#
#     dE[i, d] = Σ_n X[n, i] de[n, d]          that is  dE = Xᵀ de,  (V, N) @ (N, D) -> (V, D)
#
# Row i of Xᵀ has a 1 for each place where word i stands. So row i of dE is the
# **sum** of de over those places.

# %% tags=["answer"]
X = onehot(x.ravel(), 7)  # (N, V)
dE = X.T @ de.reshape(6, 3)  # (V, D)
for word, row in zip(words, dE, strict=True):
    print(f"{word:4} {row}")

# %% [markdown]
# You see 34 for `the`, since 32 + 2 = 34, and zeros for `dog` and `ran`, which
# do not occur.
#
# ## The line that looks right
#
# No one builds X: it is almost all zeros. The first idea of nearly everybody
# is this.

# %%
wrong_dE = np.zeros((7, 3))  # (V, D)
wrong_dE[x] += de
print("the, with dE[x] += de:", wrong_dE[0])
print("the, as it should be: ", dE[0])

# %% [markdown]
# You see 2 instead of 34: the first place is lost, and there was no error.
# NumPy reads `dE[x] += de` as: take the rows dE[x], a copy; add; write them
# back. `the` is written twice, and the second writing wins.
# `np.add.at(dE, x, de)` is the same line without the copy.

# %%
added_dE = np.zeros((7, 3))  # (V, D)
np.add.at(added_dE, x, de)
print("the, with np.add.at:  ", added_dE[0])

# %% [markdown]
# You see 34 again.
#
# ## Do not take our word for it
#
# A gradient is a claim about the loss: bump one entry, and see how far the
# loss moves. A loss whose gradient is our de is the sum of de times e, entry
# by entry (written Σ de ∘ e). We bump E[the, 0] up and down by 10⁻⁵, and
# divide the change of the loss by the distance: a **finite difference**.


# %%
def loss(params):
    e, _ = embedding_forward(x, params["E"])
    return float(np.sum(de * e))


up, down = E.copy(), E.copy()  # (V, D) each
up[0, 0] += 1e-5
down[0, 0] -= 1e-5
print(f"finite difference: {(loss({'E': up}) - loss({'E': down})) / 2e-5:.4f}")

# %% [markdown]
# You see 34: the bumped entry is used at both places, so both move the loss.
# `check_gradients` does this for every entry.

# %%
for name, claim in (("right", dE), ("wrong", wrong_dE)):
    report = check_gradients(loss, {"E": E}, {"E": claim})
    print(f"{name}: {report.verdict}")
worst = report.rows[0]  # of the wrong one, which came last
print(f"worst row {worst.index[0]}: claimed {worst.analytic:g}, measured {worst.numeric:.4f}")

# %% [markdown]
# You see PASS and FAIL, and for the wrong one the row that betrays it: 0, the
# word `the`. Without a repeated word **both** would pass: where you check
# decides what you can find.
#
# ## Further: how the package does it
#
# `np.add.at` is right. Ours sorts the places by word and sums each group, so
# that it also knows which rows are not zero.

# %%
print(inspect.getsource(embedding_backward))
print("the same numbers:", np.array_equal(embedding_backward(de, cache), dE))

# %% [markdown]
# You see `True`. The backward returns a new array and changes nothing, so
# calling it twice gives the same answer twice.
#
# ## The picture

# %%
figure = lookup_gradient(dE, wrong_dE, words)
print(save_figure(figure, "02_gradient_of_a_lookup"))

# %% [markdown]
# You see one row that differs, and white rows where nothing was looked up.
#
# ## A batch
#
# Nothing changes with more sentences: a place is a place.

# %%
batch = np.array([[0, 1, 3, 0], [0, 1, 3, 1], [3, 1, 0, 3]])  # (B, T) = (3, 4)
_, looked = embedding_forward(batch, E)
counts = embedding_backward(np.ones((3, 4, 3)), looked)[:, 0]  # (V,): with de = 1, places a word
print("places of each word:", dict(zip(words, counts.astype(int).tolist(), strict=True)))
zeros = int((counts == 0).sum())
print(f"a batch of 3 x 4 places found 3 distinct words: {zeros} of 7 rows are exactly zero")

# %% [markdown]
# You see 12 places and only three rows that are not zero. With a vocabulary of
# thousands, almost every row of this gradient is zero: it is **sparse**. The
# other gradient of E, in the next lesson, has no zero at all.
#
# ## What you can now say
#
# dE = onehot(x)ᵀ de: each row collects, by a sum, every place where its word
# stands.
#
# **The usual misconception:** "the gradient goes back to the row, so I assign
# it there." **The cure:** count the uses. Whatever is used several times gets
# the **sum** of what comes back from each use. You will meet this sentence in
# every lesson.
#
# ## Exercise
#
# Open `lessons/exercises/02_gradient_of_a_lookup.py` and run
# `tinytie exercise 2`: first the loop, then the line without a loop, then the
# rows that must be zero.
#
# **Then read** `tinytie/ops/embedding.py`: its second half, where repeated
# words are grouped and summed.
#
# **The last line of the run** should be
#
#     a batch of 3 x 4 places found 3 distinct words: 4 of 7 rows are exactly zero
